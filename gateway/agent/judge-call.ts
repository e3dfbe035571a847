import { ConnectError } from '@connectrpc/connect';
import { pathsOf } from '#gateway/permissions/call-paths.ts';
import { decide } from '#gateway/permissions/decide.ts';
import { findTool, type OfferedTool } from '#gateway/tools/visible-tools.ts';
import type { Decision } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { BoundPath } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { analyseAtHome, analyseCall } from './analyse-call.ts';
import { type CallFacts, callFacts } from './call-facts.ts';
import type { LoopServices } from './reply-context.ts';
import { placeKey } from './session-places.ts';
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
  const home = services.places.get(placeKey(session.sessionId, tool.executor))?.facts.homeDirectory;
  let permissionCall = await analyseCall(services.scripts, { tool: tool.spec, input: checked.input }, home);
  const paths = pathsOf(permissionCall);
  let known: CallFacts;
  try {
    known = await callFacts(services, session.sessionId, tool, paths, signal);
  } catch (error) {
    signal.throwIfAborted();
    const text = `Nothing ran: the executor "${tool.executor}" cannot take calls now (${ConnectError.from(error).rawMessage}).`;
    return { kind: 'refused', reason: OutcomeReason.EXECUTOR_UNAVAILABLE, text };
  }
  const rules = services.compiledRules(session.sessionId, await sessionRules(services, session));
  const { permissionPolicy } = services;
  const { boundPaths } = known;
  const facts = { ...known.facts, trustsRepository: permissionPolicy.trustsRepository === true };
  if (facts.homeDirectory !== home)
    permissionCall = await analyseAtHome(services.scripts, permissionCall, facts.homeDirectory);
  const decision = decide({ ...permissionPolicy, mode: session.mode, rules }, facts, permissionCall);
  return { kind: 'decided', tool, argumentsJson: checked.json, decision, boundPaths };
}

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
