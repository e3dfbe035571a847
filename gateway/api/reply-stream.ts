import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import type { ReplyRecord } from '#gateway/store/store.ts';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type ApiContext, SILENCE_MS } from './api-context.ts';
import { watchEvents } from './watch-events.ts';

/** Events of one reply from its first to its last; the reply does not notice who listens. */
export async function* replyStream(
  api: ApiContext,
  reply: ReplyRecord,
  context: Pick<HandlerContext, 'signal'>,
): AsyncGenerator<Event> {
  const signal = AbortSignal.any([context.signal, api.endSignal]);
  const watched = watchEvents(api.services.store, {
    sessionId: reply.sessionId,
    after: reply.firstSequence - 1n,
    replayOnly: false,
    silenceMs: SILENCE_MS,
    signal,
  });
  for await (const seen of watched) {
    if (seen.kind !== 'event' || seen.event.replyId !== reply.replyId) continue;
    yield seen.event;
    if (seen.event.event.case === 'replyEnd') return;
  }
  throwIfEnding(api);
  if (!context.signal.aborted) {
    throw new ConnectError(`session ${reply.sessionId} was deleted`, Code.NotFound);
  }
}

/** Refuses new work with Unavailable once the gateway drains. */
export function throwIfDraining(api: ApiContext): void {
  if (api.drainSignal.aborted) {
    throw new ConnectError('the gateway is shutting down; try again', Code.Unavailable);
  }
}

/** Ends a stream with Unavailable when the gateway ends; what it watched goes on and can be watched again. */
export function throwIfEnding(api: ApiContext): void {
  if (api.endSignal.aborted) {
    throw new ConnectError('the gateway is shutting down; watch again later', Code.Unavailable);
  }
}
