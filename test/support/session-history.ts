import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type Message, MessageRole } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { PendingCall } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { GatewayClients } from '#test/gateway-clients.ts';

/** Results of a history in the order the model reads them. */
export function resultsOf(messages: readonly Message[]): (ToolResult | undefined)[] {
  return messages
    .flatMap(message => message.parts)
    .flatMap(({ part }) => (part.case === 'toolResult' ? [part.value.result] : []));
}

/** What is wrong with a history: each call needs exactly one result, in order, in the message after it. */
export function historyProblems(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  for (const [index, message] of messages.entries()) {
    const calls = message.parts.flatMap(({ part }) => (part.case === 'toolCall' ? [part.value.callId] : []));
    const next = messages[index + 1];
    const results = (next?.role === MessageRole.TOOL ? next.parts : []).map(({ part }) =>
      part.case === 'toolResult' && part.value.result !== undefined ? part.value.callId : 'no result',
    );
    if (calls.join() !== results.join()) problems.push(`calls ${calls.join()} but results ${results.join()}`);
    if (message.role === MessageRole.TOOL && messages[index - 1]?.role !== MessageRole.ASSISTANT)
      problems.push(`message ${index} has results of nothing`);
  }
  return problems;
}

/** Every event of a session from the log. */
export async function allEvents(clients: GatewayClients, sessionId: string): Promise<Event[]> {
  const events: Event[] = [];
  for await (const { message } of clients.sessions.watchSession({ sessionId, replayOnly: true })) {
    if (message.case === 'event') events.push(message.value);
  }
  return events;
}

/** The history of a session. */
export async function historyOf(clients: GatewayClients, sessionId: string): Promise<Message[]> {
  return (await clients.sessions.listMessages({ sessionId })).messages;
}

/** Watches until the reply that runs or waits has ended; answers what waits with `onPending`. */
export async function untilReplyEnd(
  clients: GatewayClients,
  sessionId: string,
  onPending: (calls: readonly PendingCall[]) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { session } = await clients.sessions.getSession({ sessionId });
  if (session?.activeReply === undefined) return;
  const { pending, lastSequence, activeReply } = session;
  if (pending.length > 0) await onPending(pending);
  for await (const { message } of clients.sessions.watchSession({ sessionId, afterSequence: lastSequence })) {
    if (message.case !== 'event') continue;
    const { event, replyId } = message.value;
    if (event.case === 'confirmationRequired') await onPending(event.value.calls);
    if (event.case === 'replyEnd' && replyId === activeReply.replyId) return;
  }
}
