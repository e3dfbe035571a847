import { create } from '@bufbuild/protobuf';
import type { CallRecord } from '#gateway/store/store.ts';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import {
  MessageRole,
  MessageSchema,
  type TokenUsage,
  TokenUsageSchema,
} from '#gen/toolgate/gateway/v1/message_pb.ts';
import { ReplyState, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { resultsMessage } from './call-results.ts';
import { CoalescingWriter } from './coalescing-writer.ts';
import { endOfReply } from './end-reply.ts';
import { eventMaker, mergeDeltas } from './events.ts';
import { newCalls } from './new-calls.ts';
import { type Answer, receiveAnswer } from './receive-answer.ts';
import { commitEvents, fenceOf, type ReplyContext } from './reply-context.ts';

/**
 * Asks the model once and writes its answer: the message, its calls, and the reply's end where the model wants no
 * more. `results` are the finished calls that the model has not seen yet; none while the reply is under way means that
 * an earlier answer was lost with its process, so the model is asked the same again.
 */
export async function askModel(context: ReplyContext, results: readonly CallRecord[]): Promise<void> {
  const { reply } = context;
  const isRepeat = results.length === 0 && reply.iterations > 0;
  const iteration = isRepeat ? reply.iterations : reply.iterations + 1;
  await writeStart(context, iteration, results, isRepeat);
  const writer = new CoalescingWriter(events => commitEvents(context, events), mergeDeltas);
  const answer = await receiveAnswer(context, iteration, writer);
  await writeAnswer({ ...context, reply: { ...reply, iterations: iteration } }, answer, writer);
}

async function writeStart(
  context: ReplyContext,
  iteration: number,
  results: readonly CallRecord[],
  isRepeat: boolean,
): Promise<void> {
  const { services, reply, session } = context;
  const make = eventMaker(reply.replyId, services.now);
  const lost = {
    iteration,
    finish: ModelFinish.INTERRUPTED,
    error: 'the gateway restarted; the model is asked again',
  };
  await services.store.commit({
    sessionId: reply.sessionId,
    fence: fenceOf(reply),
    reply: { iterations: iteration, state: ReplyState.RUNNING },
    messages: results.length === 0 ? [] : [resultsMessage(results)],
    events: [
      ...(isRepeat ? [make({ case: 'modelCallEnd', value: lost })] : []),
      make({ case: 'modelCallStart', value: { iteration, model: session.agent?.model ?? '' } }),
    ],
  });
}

async function writeAnswer(context: ReplyContext, answer: Answer, writer: CoalescingWriter): Promise<void> {
  const { services, reply } = context;
  const iteration = reply.iterations;
  const make = eventMaker(reply.replyId, services.now);
  const calls = newCalls(context, answer);
  const parts = [...answer.parts, ...calls.map(call => call.part)];
  const usage = addUsage(reply.usage, answer.usage);
  const endsHere = calls.length === 0 && answer.finish !== ModelFinish.INTERRUPTED;
  const end = endsHere
    ? endOfReply(context, {
        usage,
        error: answer.error,
        stopReason: STOP_REASONS[answer.finish] ?? StopReason.COMPLETED,
      })
    : undefined;
  const { finish, error } = answer;
  await services.store.commit({
    sessionId: reply.sessionId,
    fence: fenceOf(reply),
    reply: end?.reply ?? { usage },
    messages: parts.length === 0 ? [] : [create(MessageSchema, { role: MessageRole.ASSISTANT, parts })],
    calls: calls.map(call => call.record),
    events: [
      ...(await writer.takeRest()),
      make({ case: 'modelCallEnd', value: { iteration, usage: answer.usage, finish, error } }),
      ...calls.flatMap(call => call.events),
      ...(end === undefined ? [] : [end.event]),
    ],
  });
}

const STOP_REASONS: Partial<Record<ModelFinish, StopReason>> = {
  [ModelFinish.LENGTH]: StopReason.LENGTH,
  [ModelFinish.CONTENT_FILTER]: StopReason.CONTENT_FILTER,
  [ModelFinish.ERROR]: StopReason.ERROR,
};

function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return create(TokenUsageSchema, {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  });
}
