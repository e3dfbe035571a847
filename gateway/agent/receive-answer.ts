import { create } from '@bufbuild/protobuf';
import type { FinishChunk, ModelChunk, ModelRequest } from '#gateway/models/model.ts';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type MessagePart, type TokenUsage, TokenUsageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { type AssembledCall, CallAssembler } from './assemble-calls.ts';
import type { CoalescingWriter } from './coalescing-writer.ts';
import { eventMaker } from './events.ts';
import { ModelBlocks } from './model-blocks.ts';
import type { ReplyContext } from './reply-context.ts';

/** What a model said in one answer, as far as it came. */
export interface Answer {
  /** Text and thinking, in order. */
  readonly parts: readonly MessagePart[];
  /** Its calls; none when the answer broke off or was filtered, since the last one may be incomplete. */
  readonly calls: readonly AssembledCall[];
  readonly finish: ModelFinish;
  readonly usage: TokenUsage;
  /** What went wrong, for people; empty unless finish is ERROR. */
  readonly error: string;
}

/** Streams one answer, writing its text as events while it comes. Never rejects because of the model. */
export async function receiveAnswer(
  context: ReplyContext,
  iteration: number,
  writer: CoalescingWriter,
): Promise<Answer> {
  const blocks = new ModelBlocks(
    context.services.newId('blk'),
    eventMaker(context.reply.replyId, context.services.now),
  );
  const assembler = new CallAssembler();
  const { end, error } = await readStream(context, iteration, async chunk => {
    if (chunk.kind === 'tool-call') assembler.add(chunk);
    else for (const event of blocks.add(chunk)) await writer.add(event);
  });
  for (const event of blocks.end()) await writer.add(event);
  const parts = blocks.parts();
  const usage = end?.usage ?? create(TokenUsageSchema);
  if (context.interruptSignal.aborted)
    return { parts, calls: [], finish: ModelFinish.INTERRUPTED, usage, error: '' };
  if (end === undefined) return { parts, calls: [], finish: ModelFinish.ERROR, usage, error };
  const calls = end.finish === ModelFinish.CONTENT_FILTER ? [] : assembler.calls();
  return { parts, calls, finish: end.finish, usage, error: '' };
}

/** Reads an answer to its end. A failure of the model is a value; leaving the gateway is not. */
async function readStream(
  context: ReplyContext,
  iteration: number,
  take: (chunk: Exclude<ModelChunk, FinishChunk>) => Promise<void>,
): Promise<{ readonly end?: FinishChunk; readonly error: string }> {
  let end: FinishChunk | undefined;
  try {
    for await (const chunk of await stream(context, iteration)) {
      if (chunk.kind === 'finish') end = chunk;
      else await take(chunk);
    }
  } catch (caught) {
    context.leaveSignal.throwIfAborted();
    return { error: describeFailure(context, caught) };
  }
  if (end === undefined) return { error: 'the model ended its answer without saying that it was done' };
  return { end, error: '' };
}

async function stream(context: ReplyContext, iteration: number): Promise<AsyncIterable<ModelChunk>> {
  const { services, reply, session, tools } = context;
  const model = services.resolveModel(session.agent?.model ?? '');
  const request: ModelRequest = {
    instructions: session.agent?.instructions ?? '',
    messages: await services.store.messages(reply.sessionId),
    tools: tools.map(tool => tool.spec),
    sessionId: reply.sessionId,
    iteration,
  };
  return model.stream(request, AbortSignal.any([context.interruptSignal, context.leaveSignal]));
}

/** The failure in words for the user. Errors of the models room are written for people; any other is a bug. */
function describeFailure(context: ReplyContext, error: unknown): string {
  if (context.interruptSignal.aborted) return '';
  if (error instanceof Error && (error.name === 'ModelError' || error.name === 'UnknownModelError')) {
    return error.message;
  }
  context.services.logger.error({ err: error, replyId: context.reply.replyId }, 'model call failed');
  return 'the model call failed inside the gateway; its log has the cause';
}
