import type { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { ScriptAnalysis } from './bash/script-analysis.ts';
import type { Dangers } from './dangers.ts';
import type { CompiledRules } from './rules/compile-rules.ts';

/** What holds for every call of a session at the moment of the decision. */
export interface PermissionContext {
  /** The session's mode; UNSPECIFIED counts as DEFAULT. */
  readonly mode: PermissionMode;
  /** Rules of all sources together; their order never matters. */
  readonly rules: CompiledRules;
  /** What the operator adds to the safety floor. */
  readonly dangers?: Dangers | undefined;
  /** MCP servers whose word the operator takes for which of their tools only read. */
  readonly trustedServers?: ReadonlySet<string> | undefined;
}

/** What the executor found out about the call, so that the decision needs no file system. */
export interface PermissionFacts {
  /** Absolute; relative paths of the call start here. */
  readonly workingDirectory: string;
  /** Absolute. */
  readonly workspaceRoot: string;
  /** Absolute home folder of the user that commands run as. */
  readonly homeDirectory: string;
  /** Real path of each path that `pathsOf` listed, by the path as the call names it. */
  readonly realPaths: ReadonlyMap<string, string>;
  /**
   * True when somebody vouched for the configuration of the repository in the working directory, with which git starts
   * programs. Unset means false.
   */
  readonly trustsRepository?: boolean;
}

/** Facts for calls that name no path: relative paths and the workspace then resolve to nowhere. */
export const emptyFacts: PermissionFacts = {
  workingDirectory: '/nowhere',
  workspaceRoot: '/nowhere',
  homeDirectory: '/nowhere',
  realPaths: new Map(),
};

/** One call, with arguments that are parsed and fit the tool's schema. */
export interface PermissionCall {
  readonly tool: ToolSpec;
  readonly input: Readonly<Record<string, unknown>>;
  /** What each script of the call does, by its text; one that is missing is judged as if nothing were known of it. */
  readonly analyses: ReadonlyMap<string, ScriptAnalysis>;
}
