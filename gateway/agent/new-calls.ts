import { create } from '@bufbuild/protobuf';
import type { CallRecord, UnnumberedEvent } from '#gateway/store/store.ts';
import { errorResult } from '#gateway/tools/error-result.ts';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type MessagePart, MessagePartSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { AssembledCall } from './assemble-calls.ts';
import { callEndEvents, finishedCall } from './call-results.ts';
import { eventMaker } from './events.ts';
import type { Answer } from './receive-answer.ts';
import type { ReplyContext } from './reply-context.ts';

/** A call that a model just made, as record, message part and events. */
export interface NewCall {
  readonly record: CallRecord;
  readonly part: MessagePart;
  readonly events: readonly UnnumberedEvent[];
}

const CUT_TEXT = `Nothing ran: your answer reached its length limit, so this call may be incomplete.
Make the call again, with shorter arguments or in several steps.`;

/** The calls of an answer. Those of an answer that was cut are finished at once and never run. */
export function newCalls(context: ReplyContext, answer: Answer): NewCall[] {
  const wasCut = answer.finish === ModelFinish.LENGTH;
  const make = eventMaker(context.reply.replyId, context.services.now);
  return answer.calls.map((call, index) => {
    const { providerCallId, name: toolName, argumentsText, providerMetadataJson } = call;
    const pending = pendingCall(context, call, index);
    const record = wasCut
      ? finishedCall(pending, errorResult(pending.callId, OutcomeReason.REPLY_CUT, CUT_TEXT))
      : pending;
    const named = { callId: record.callId, providerCallId, toolName, argumentsText };
    return {
      record,
      part: create(MessagePartSchema, {
        part: { case: 'toolCall', value: { ...named, providerMetadataJson } },
      }),
      events: [make({ case: 'toolCallStart', value: { ...named, index } }), ...callEndEvents(record, make)],
    };
  });
}

function pendingCall({ services, reply }: ReplyContext, call: AssembledCall, index: number): CallRecord {
  return {
    callId: services.newId('call'),
    sessionId: reply.sessionId,
    replyId: reply.replyId,
    iteration: reply.iterations,
    index,
    providerCallId: call.providerCallId,
    toolName: call.name,
    argumentsText: call.argumentsText,
    argumentsJson: '',
    edited: false,
    state: 'PENDING',
    boundPaths: [],
    executor: '',
    attempt: 0,
    timeoutMs: 0,
  };
}
