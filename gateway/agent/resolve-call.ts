import { create } from '@bufbuild/protobuf';
import {
  CallMovedError,
  type CallRecord,
  StaleOwnerError,
  type UnnumberedEvent,
} from '#gateway/store/store.ts';
import {
  type Decision,
  DecisionSchema,
  DecisionStage,
  type PermissionRule,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { type PendingAnswer, ReplyState } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { textResult } from '#kit/text-result.ts';
import type { Answering } from './answering.ts';
import { callEndEvents, finishedCall } from './call-results.ts';
import { applyJudgement } from './decide-calls.ts';
import { eventMaker } from './events.ts';
import { judgeCall } from './judge-call.ts';
import { fenceOf } from './reply-context.ts';
import { ruleToKeep } from './rule-to-keep.ts';
import { sessionTools } from './session-tools.ts';

/** What became of one answer. */
export interface Resolution {
  readonly status: ResolveStatus;
  readonly message: string;
  readonly remembered?: PermissionRule;
}

/** Applies one answer to a call that waits. The call moves once, however many answers arrive. */
export async function resolveCall(answering: Answering, answer: PendingAnswer): Promise<Resolution> {
  const { services, session } = answering;
  const call = await services.store.call(answer.callId);
  if (call === undefined || call.sessionId !== session.sessionId) {
    return { status: ResolveStatus.UNKNOWN_CALL, message: `no call ${answer.callId} in this session` };
  }
  if (call.state !== 'ASKING') return moved(call);
  switch (answer.answer.case) {
    case 'allow': {
      const { editedArgumentsJson, remember } = answer.answer.value;
      const judged = editedArgumentsJson === '' ? call : await edited(answering, call, editedArgumentsJson);
      if ('status' in judged) return judged;
      return allow(answering, answer, judged, remember);
    }
    case 'deny':
      return write(answering, answer, deniedByPerson(answering, call, answer.answer.value.reason), undefined);
    default:
      return {
        status: ResolveStatus.WRONG_KIND,
        message: 'this call waits for a permission: allow or deny it',
      };
  }
}

async function allow(
  answering: Answering,
  answer: PendingAnswer,
  call: CallRecord,
  remember: PermissionRule | undefined,
): Promise<Resolution> {
  if (call.state === 'FINISHED') return write(answering, answer, call, undefined);
  const decision = byPerson(call, PermissionBehavior.ALLOW, `allowed by ${answering.approver}`);
  if (remember === undefined)
    return write(answering, answer, { ...call, state: 'ALLOWED', decision }, undefined);
  const kept = ruleToKeep(answering, call, remember);
  if ('problem' in kept) return { status: ResolveStatus.INVALID, message: kept.problem };
  return write(answering, answer, { ...call, state: 'ALLOWED', decision }, kept.rule);
}

/** A person's word as the last step of the decision that asked for it. */
function byPerson(call: CallRecord, behavior: PermissionBehavior, reason: string): Decision {
  const step = { stage: DecisionStage.PERSON, behavior, detail: reason };
  return create(DecisionSchema, {
    behavior,
    stage: DecisionStage.PERSON,
    reason,
    steps: [...(call.decision?.steps ?? []), step],
  });
}

/** The call with a person's arguments, decided again: a deny holds against the person too, an ask is what they answer. */
async function edited(
  answering: Answering,
  call: CallRecord,
  argumentsText: string,
): Promise<CallRecord | Resolution> {
  const { services, session, signal } = answering;
  const tools = sessionTools(services, session);
  const written = { toolName: call.toolName, argumentsText };
  const judgement = await judgeCall(services, session, tools, written, signal);
  if (judgement.kind === 'refused') return { status: ResolveStatus.INVALID, message: judgement.text };
  return { ...applyJudgement(call, judgement), edited: true };
}

function deniedByPerson({ approver }: Answering, call: CallRecord, reason: string): CallRecord {
  const why = reason === '' ? 'They gave no reason.' : `Their reason: ${reason}`;
  const text = `A person was asked and denied this call; it did not run. ${why}`;
  const result = textResult(Outcome.DENIED, text, {
    callId: call.callId,
    reason: OutcomeReason.DENIED_BY_PERSON,
  });
  return finishedCall(
    { ...call, decision: byPerson(call, PermissionBehavior.DENY, `denied by ${approver}`) },
    result,
  );
}

async function write(
  answering: Answering,
  answer: PendingAnswer,
  call: CallRecord,
  remembered: PermissionRule | undefined,
): Promise<Resolution> {
  const { services, runner, session } = answering;
  const reply = await services.store.reply(call.replyId);
  if (reply === undefined) return moved(call);
  const calls = await services.store.calls(call.replyId);
  const othersWait = calls.some(other => other.callId !== call.callId && other.state === 'ASKING');
  try {
    await services.store.commit({
      sessionId: call.sessionId,
      fence: fenceOf(reply),
      expect: { callId: call.callId, state: 'ASKING' },
      reply: { state: othersWait ? ReplyState.WAITING : ReplyState.RUNNING },
      calls: [call],
      ...(remembered === undefined ? {} : { keepRule: { rule: remembered, user: session.user } }),
      events: answerEvents(answering, answer, call, remembered),
    });
  } catch (error) {
    if (error instanceof CallMovedError || error instanceof StaleOwnerError) return moved(call);
    throw error;
  }
  runner.wake(call.replyId);
  if (answer.answer.case === 'allow' && call.state === 'FINISHED') {
    return {
      status: ResolveStatus.DENIED,
      message: `the edited arguments are denied: ${call.decision?.reason ?? ''}`,
    };
  }
  return { status: ResolveStatus.ACCEPTED, message: '', ...(remembered === undefined ? {} : { remembered }) };
}

function answerEvents(
  { services, approver }: Answering,
  answer: PendingAnswer,
  call: CallRecord,
  remembered: PermissionRule | undefined,
): UnnumberedEvent[] {
  const make = eventMaker(call.replyId, services.now);
  const { callId, decision, argumentsJson } = call;
  const answered = { answer, approver, ...(remembered === undefined ? {} : { remembered }) };
  return [
    make({ case: 'confirmationAnswered', value: answered }),
    ...(decision === undefined
      ? []
      : [make({ case: 'toolCallDecided', value: { callId, decision, argumentsJson } })]),
    ...callEndEvents(call, make),
  ];
}

function moved(call: CallRecord): Resolution {
  return { status: ResolveStatus.ALREADY_ANSWERED, message: `call ${call.callId} does not wait any more` };
}
