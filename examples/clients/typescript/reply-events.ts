import type { Client } from '@connectrpc/connect';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { createPatience } from './connection-loss.ts';

type Sessions = Client<typeof SessionService>;
type Message = Parameters<Sessions['sendMessage']>[0] & { readonly sessionId: string };

/**
 * Sends the message and yields every event of its reply, each exactly once and in order, also when the connection
 * breaks on the way. The reply runs in the gateway and does not notice who listens. The message carries a request id,
 * so sending it again starts nothing twice.
 */
export async function* replyEvents(
  sessions: Sessions,
  message: Message,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const patience = createPatience(signal);
  let replyId = '';
  let sequence = 0n;
  while (true) {
    try {
      for await (const event of openStream(sessions, message, sequence, signal)) {
        patience.connected();
        sequence = event.sequence;
        replyId ||= event.replyId;
        if (event.replyId !== replyId) continue;
        yield event;
        if (event.event.case === 'replyEnd') return;
      }
    } catch (error) {
      await patience.pauseAfter(error);
      continue;
    }
    throw new Error('The session was deleted before its reply ended');
  }
}

/** The events after a sequence number: before the first one, by sending the message. */
async function* openStream(
  sessions: Sessions,
  message: Message,
  sequence: bigint,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  if (sequence === 0n) {
    for await (const { event } of sessions.sendMessage(message, { signal })) if (event) yield event;
    return;
  }
  const watch = { sessionId: message.sessionId, afterSequence: sequence };
  for await (const { message: watched } of sessions.watchSession(watch, { signal })) {
    if (watched.case === 'event') yield watched.value;
  }
}
