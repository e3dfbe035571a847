import { create } from '@bufbuild/protobuf';
import type { CallRecord, Change, ReplyPatch, ReplyRecord, UnnumberedEvent } from '#gateway/store/store.ts';
import type { Reply } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { ReplySchema, ReplyState, type StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { resultsMessage } from './call-results.ts';
import { eventMaker } from './events.ts';
import { fenceOf, type ReplyContext } from './reply-context.ts';

/** A reply as clients see it. */
export function replyView(reply: ReplyRecord): Reply {
  const { replyId, kind, state, stopReason, iterations, usage, error } = reply;
  return create(ReplySchema, { replyId, kind, state, stopReason, iterations, usage, error });
}

/** The part of a change that ends the reply. */
export function endOfReply(
  context: ReplyContext,
  patch: ReplyPatch & { readonly stopReason: StopReason },
): { readonly reply: ReplyPatch; readonly event: UnnumberedEvent } {
  const { reply, services } = context;
  const ended = { ...patch, state: ReplyState.FINISHED };
  const make = eventMaker(reply.replyId, services.now);
  return {
    reply: ended,
    event: make({ case: 'replyEnd', value: { reply: replyView({ ...reply, ...ended }) } }),
  };
}

/**
 * Ends a reply between two model calls. `results` are finished calls that no message carries yet: they must enter the
 * history, since every call needs a result there.
 */
export async function endReply(
  context: ReplyContext,
  stopReason: StopReason,
  results: readonly CallRecord[],
  events: readonly UnnumberedEvent[] = [],
  error = '',
): Promise<void> {
  const { reply, services } = context;
  const end = endOfReply(context, { stopReason, error });
  const change: Change = {
    sessionId: reply.sessionId,
    fence: fenceOf(reply),
    reply: end.reply,
    messages: results.length === 0 ? [] : [resultsMessage(results)],
    events: [...events, end.event],
  };
  await services.store.commit(change);
}
