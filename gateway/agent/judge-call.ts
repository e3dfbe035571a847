import { create } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { pathsOf } from '#gateway/permissions/call-paths.ts';
import { decide } from '#gateway/permissions/decide.ts';
import { emptyFacts, type PermissionFacts } from '#gateway/permissions/permission-call.ts';
import { findTool, type OfferedTool } from '#gateway/tools/visible-tools.ts';
import type { InspectResponse } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { Decision } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { type BoundPath, BoundPathSchema } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { MatchKind } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { analyseAtHome, analyseCall } from './analyse-call.ts';
import type { LoopServices } from './reply-context.ts';
import { sessionRules } from './session-rules.ts';

/** What came of looking at a call before it runs. */
export type Judgement =
  /** It cannot run; the text tells the model how to do better. */
  | { readonly kind: 'refused'; readonly reason: OutcomeReason; readonly text: string }
  | {
      readonly kind: 'decided';
      readonly tool: OfferedTool;
      readonly argumentsJson: string;
      readonly decision: Decision;
      /** Real paths that the decision rests on. */
      readonly boundPaths: readonly BoundPath[];
    };

/** A call as its maker wrote it. */
export interface WrittenCall {
  readonly toolName: string;
  readonly argumentsText: string;
}

/** Time in which an executor must tell the facts of a call. */
const INSPECT_TIMEOUT_MS = 30_000;

/**
 * Finds the tool, checks the arguments, gathers the facts and asks the permission engine. Runs nothing.
 * Rejects with the signal's reason when that aborts first.
 */
export async function judgeCall(
  services: LoopServices,
  session: Session,
  tools: readonly OfferedTool[],
  call: WrittenCall,
  signal: AbortSignal,
): Promise<Judgement> {
  const tool = findTool(tools, call.toolName);
  if (tool === undefined) {
    return {
      kind: 'refused',
      reason: OutcomeReason.UNKNOWN_TOOL,
      text: unknownTool(services, tools, call.toolName),
    };
  }
  const checked = services.checkArguments(tool.spec, call.argumentsText);
  if (!checked.ok) {
    return { kind: 'refused', reason: OutcomeReason.INVALID_ARGUMENTS, text: checked.problem };
  }
  let permissionCall = await analyseCall(services.scripts, { tool: tool.spec, input: checked.input });
  let inspected: InspectResponse | undefined;
  if (needsFacts(tool)) {
    try {
      inspected = await inspect(services, session, tool, pathsOf(permissionCall), signal);
    } catch (error) {
      signal.throwIfAborted();
      const text = `Nothing ran: the executor "${tool.executor}" cannot take calls now (${ConnectError.from(error).rawMessage}).`;
      return { kind: 'refused', reason: OutcomeReason.EXECUTOR_UNAVAILABLE, text };
    }
  }
  const rules = services.compiledRules(session.sessionId, await sessionRules(services, session));
  const facts = factsOf(inspected);
  permissionCall = await analyseAtHome(services.scripts, permissionCall, facts.homeDirectory);
  const decision = decide({ mode: session.mode, rules }, facts, permissionCall);
  const boundPaths = (inspected?.paths ?? []).map(({ path, realPath }) =>
    create(BoundPathSchema, { path, realPath }),
  );
  return { kind: 'decided', tool, argumentsJson: checked.json, decision, boundPaths };
}

/** Rules about paths and commands rest on where the session is and what its paths really are. */
function needsFacts({ spec }: OfferedTool): boolean {
  const kinds = spec.permission?.matchFields.map(field => field.kind) ?? [];
  return kinds.some(kind => FILE_KINDS.has(kind));
}

const FILE_KINDS: ReadonlySet<MatchKind> = new Set([
  MatchKind.READ_PATH,
  MatchKind.WRITE_PATH,
  MatchKind.COMMAND,
]);

/** What to tell somebody who named a tool that is not there. */
export function unknownTool(services: LoopServices, tools: readonly OfferedTool[], name: string): string {
  const names = tools.map(tool => tool.spec.name).join(', ');
  const known = names === '' ? 'This session has no tools.' : `The tools of this session are: ${names}.`;
  const missing = services.executors.statuses().filter(status => status.description === undefined);
  const unreached = missing.map(
    status => ` The tools of executor "${status.name}" are not known yet: ${status.problem}.`,
  );
  return `There is no tool "${name}". ${known}${unreached.join('')}`;
}

function inspect(
  services: LoopServices,
  session: Session,
  tool: OfferedTool,
  paths: string[],
  signal: AbortSignal,
): Promise<InspectResponse> {
  const link = services.executors.link(tool.executor);
  if (link === undefined) throw new Error('it was never reached');
  const { sessionId } = session;
  return link.client.inspect({ sessionId, paths }, { timeoutMs: INSPECT_TIMEOUT_MS, signal });
}

function factsOf(inspected: InspectResponse | undefined): PermissionFacts {
  if (inspected === undefined) return emptyFacts;
  return {
    workingDirectory: inspected.workingDirectory,
    workspaceRoot: inspected.workspaceRoot,
    homeDirectory: inspected.homeDirectory,
    realPaths: new Map(inspected.paths.map(fact => [fact.path, fact.realPath])),
  };
}
