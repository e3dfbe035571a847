import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { GatewayClient } from './gateway-client.ts';

/** The events of the reply to a message. Leaving them changes nothing. */
export function messageEvents(
  client: GatewayClient,
  request: Parameters<GatewayClient['sessions']['sendMessage']>[0],
  signal: AbortSignal,
): AsyncGenerator<Event> {
  return eventsOf(client.sessions.sendMessage(request, { signal }));
}

/** The events of a direct call. Leaving them changes nothing. */
export function callEvents(
  client: GatewayClient,
  request: Parameters<GatewayClient['tools']['callTool']>[0],
  signal: AbortSignal,
): AsyncGenerator<Event> {
  return eventsOf(client.tools.callTool(request, { signal }));
}

async function* eventsOf(responses: AsyncIterable<{ event?: Event | undefined }>): AsyncGenerator<Event> {
  for await (const { event } of responses) {
    if (event !== undefined) yield event;
  }
}

/** The events of one reply of a session, from its beginning on. The stream goes on after its end. */
export async function* replyEvents(
  client: GatewayClient,
  sessionId: string,
  replyId: string,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  for await (const { message } of client.sessions.watchSession({ sessionId }, { signal })) {
    if (message.case === 'event' && message.value.replyId === replyId) yield message.value;
  }
}
