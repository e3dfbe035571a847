import { create } from '@bufbuild/protobuf';
import type { CallRecord, UnnumberedEvent } from '#gateway/store/store.ts';
import { errorResult } from '#gateway/tools/error-result.ts';
import type { Decision } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { PendingCall } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { PendingCallSchema, PendingKind, ReplyState } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { textResult } from '#kit/text-result.ts';
import { callEndEvents, finishedCall } from './call-results.ts';
import { type EventBody, eventMaker } from './events.ts';
import { type Judgement, judgeCall, type WrittenCall } from './judge-call.ts';
import { fenceOf, type ReplyContext } from './reply-context.ts';

/**
 * Decides calls in call order and writes all decisions at once. Calls that cannot run or are denied are finished; when
 * one asks, the reply waits, and none of its calls runs before the answer.
 */
export async function decideCalls(context: ReplyContext, calls: readonly CallRecord[]): Promise<void> {
  const { services, reply, session, tools } = context;
  const make = eventMaker(reply.replyId, services.now);
  const decided: CallRecord[] = [];
  const signal = AbortSignal.any([context.interruptSignal, context.leaveSignal]);
  for (const call of calls)
    decided.push(applyJudgement(call, await judgeCall(services, session, tools, writtenCall(call), signal)));
  const asking = decided.filter(call => call.state === 'ASKING');
  const events = decided.flatMap(call => decisionEvents(call, make));
  if (asking.length > 0) {
    events.push(make({ case: 'confirmationRequired', value: { calls: asking.map(pendingView) } }));
  }
  if (decided.every(call => call.result?.outcome === Outcome.DENIED)) {
    events.push(make({ case: 'allToolsDenied', value: { callIds: decided.map(call => call.callId) } }));
  }
  await services.store.commit({
    sessionId: reply.sessionId,
    fence: fenceOf(reply),
    reply: { state: asking.length > 0 ? ReplyState.WAITING : ReplyState.RUNNING },
    calls: decided,
    events,
  });
}

/** The call as it is to be judged: with a person's arguments where they changed them, else with the model's. */
function writtenCall({ toolName, argumentsText, argumentsJson, edited }: CallRecord): WrittenCall {
  return { toolName, argumentsText: edited ? argumentsJson : argumentsText };
}

/** A call that waits, as clients see it. */
export function pendingView(call: CallRecord): PendingCall {
  return create(PendingCallSchema, {
    callId: call.callId,
    replyId: call.replyId,
    toolName: call.toolName,
    argumentsJson: call.argumentsJson,
    kind: PendingKind.PERMISSION,
    ...(call.decision === undefined ? {} : { decision: call.decision }),
  });
}

/** What a decision by a rule says to the model. */
function denialText(decision: Decision): string {
  return `This call was denied by the permission rules and did not run: ${decision.reason}\nDo not try to reach the same by another way; go on without it or ask the user.`;
}

/** The call as it stands after it was judged. */
export function applyJudgement(call: CallRecord, judgement: Judgement): CallRecord {
  if (judgement.kind === 'refused') {
    return finishedCall(call, errorResult(call.callId, judgement.reason, judgement.text));
  }
  const { decision, argumentsJson, boundPaths, tool } = judgement;
  const seen = {
    ...call,
    toolName: tool.spec.name,
    argumentsJson,
    decision,
    boundPaths,
    executor: tool.executor,
  };
  if (decision.behavior === PermissionBehavior.ALLOW) return { ...seen, state: 'ALLOWED' };
  if (decision.behavior === PermissionBehavior.ASK) return { ...seen, state: 'ASKING' };
  const result = textResult(Outcome.DENIED, denialText(decision), {
    callId: call.callId,
    reason: OutcomeReason.DENIED_BY_POLICY,
  });
  return finishedCall(seen, result);
}

function decisionEvents(call: CallRecord, make: (event: EventBody) => UnnumberedEvent): UnnumberedEvent[] {
  const { callId, decision, argumentsJson } = call;
  const decided =
    decision === undefined
      ? []
      : [make({ case: 'toolCallDecided', value: { callId, decision, argumentsJson } })];
  return [...decided, ...callEndEvents(call, make)];
}
