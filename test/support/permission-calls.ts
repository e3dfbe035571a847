import { create } from '@bufbuild/protobuf';
import { loadBashGrammar } from '#gateway/agent/bash-grammar.ts';
import { pathsOf } from '#gateway/permissions/call-paths.ts';
import { analyzeScripts } from '#gateway/permissions/call-scripts.ts';
import { compileDangers, type DangerLists } from '#gateway/permissions/dangers.ts';
import { decide } from '#gateway/permissions/decide.ts';
import type { PermissionCall, PermissionFacts } from '#gateway/permissions/permission-call.ts';
import { compileRules } from '#gateway/permissions/rules/compile-rules.ts';
import {
  type Decision,
  DecisionStage,
  PermissionMode,
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import {
  MatchKind,
  PermissionBehavior,
  type ToolSpec,
  ToolSpecSchema,
} from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

const secondParser = await loadBashGrammar();

const behaviors = {
  allow: PermissionBehavior.ALLOW,
  ask: PermissionBehavior.ASK,
  deny: PermissionBehavior.DENY,
};

/** A rule as people write it: "allow Bash(git log:*)", "deny Write". */
export function rule(text: string): PermissionRule {
  const parsed = /^(allow|ask|deny) ([^(]*)(?:\((.*)\))?$/s.exec(text);
  if (parsed === null) throw new Error(`no rule: ${text}`);
  const behavior = behaviors[parsed[1] as keyof typeof behaviors];
  return create(PermissionRuleSchema, {
    tool: parsed[2] ?? '',
    content: parsed[3] ?? '',
    behavior,
    source: RuleSource.USER,
  });
}

function tool(
  name: string,
  pointer: string,
  kind: MatchKind,
  more: Partial<Pick<ToolSpec, 'aliases'>> & { readOnly?: boolean } = {},
): ToolSpec {
  return create(ToolSpecSchema, {
    name,
    aliases: more.aliases ?? [],
    hints: { readOnly: more.readOnly ?? false },
    permission: { matchFields: [{ pointer, kind }] },
  });
}

/** Tools with the match fields of the built-in ones. */
export const tools = {
  bash: tool('Bash', '/command', MatchKind.COMMAND, { aliases: ['bash'] }),
  read: tool('Read', '/file_path', MatchKind.READ_PATH, { readOnly: true }),
  write: tool('Write', '/file_path', MatchKind.WRITE_PATH, { aliases: ['write_file'] }),
  edit: tool('Edit', '/file_path', MatchKind.WRITE_PATH),
  fetch: tool('WebFetch', '/url', MatchKind.URL),
  search: tool('Search', '/query', MatchKind.TEXT),
} as const satisfies Record<string, ToolSpec>;

/** What a test may set; the rest is an empty rule list in DEFAULT, with the workspace at /repo. */
export interface Situation {
  readonly mode?: PermissionMode;
  readonly rules?: readonly string[];
  /** Links of the file system: where each really leads. */
  readonly links?: Readonly<Record<string, string>>;
  /** Where the shell of the session is; /repo unless said. */
  readonly workingDirectory?: string;
  readonly dangers?: DangerLists;
  readonly trustedServers?: readonly string[];
  readonly trustsRepository?: boolean;
}

/** Decides a call of a tool with the facts that an executor with such links would give. */
export function decideCall(
  calledTool: ToolSpec,
  input: Record<string, unknown>,
  situation: Situation = {},
): Decision {
  const context = {
    mode: situation.mode ?? PermissionMode.DEFAULT,
    rules: compileRules((situation.rules ?? []).map(rule)),
    dangers: situation.dangers === undefined ? undefined : compileDangers(situation.dangers),
    trustedServers: new Set(situation.trustedServers),
  };
  const options = { homeDirectory: '/home/u', secondParser };
  const call = { tool: calledTool, input, analyses: analyzeScripts(calledTool, input, options) };
  return decide(context, factsOf(call, situation), call);
}

/** The answer for a Bash command, as one word. */
export function answerTo(command: string, situation: Situation = {}): string {
  return answerOf(decideCall(tools.bash, { command }, situation));
}

/** The answer of a decision, as one word. */
export function answerOf(decision: Decision): string {
  if (decision.behavior === PermissionBehavior.ALLOW) return 'allow';
  return decision.behavior === PermissionBehavior.DENY ? 'deny' : 'ask';
}

/** The name of the stage that decided. */
export function stageOf(decision: Decision): string {
  return Object.entries(DecisionStage).find(([, value]) => value === decision.stage)?.[0] ?? '';
}

function factsOf(
  call: PermissionCall,
  { links = {}, workingDirectory = '/repo', trustsRepository = false }: Situation,
): PermissionFacts {
  const absolute = (path: string) => (path.startsWith('/') ? path : `${workingDirectory}/${path}`);
  return {
    workingDirectory,
    workspaceRoot: '/repo',
    homeDirectory: '/home/u',
    trustsRepository,
    realPaths: new Map(pathsOf(call).map(path => [path, links[absolute(path)] ?? absolute(path)])),
  };
}
