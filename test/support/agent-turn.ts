import { create } from '@bufbuild/protobuf';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type Message, MessageRole } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { type PendingCall, type Reply, ReplyState } from '#gen/toolgate/gateway/v1/session_pb.ts';
import {
  type ContentBlock,
  ContentBlockSchema,
  type ToolResult,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { GatewayClients } from '#test/gateway-clients.ts';

type Body<Case extends Event['event']['case']> =
  Extract<Event['event'], { case: Case }> extends {
    value: infer Value;
  }
    ? Value
    : never;

/** Content of a message that is one text. */
export function textContent(text: string): ContentBlock[] {
  return [create(ContentBlockSchema, { block: { case: 'text', value: { text } } })];
}

/** Creates a session with an agent of the test's folder. */
export async function newSession(clients: GatewayClients, agentName: string): Promise<string> {
  const { session } = await clients.sessions.createSession({
    agent: { case: 'agentName', value: agentName },
  });
  return session?.sessionId ?? '';
}

/** Sends a message and collects the events of its reply; `onPending` answers what waits. */
export async function playTurn(
  clients: GatewayClients,
  sessionId: string,
  options: {
    readonly text?: string;
    readonly requestId?: string;
    readonly onPending?: (calls: readonly PendingCall[]) => Promise<unknown>;
  } = {},
): Promise<Event[]> {
  const { text = 'go', requestId = '' } = options;
  const stream = clients.sessions.sendMessage({ sessionId, content: textContent(text), requestId });
  return collect(stream, options.onPending);
}

/** Runs a tool without a model and collects its events. */
export function callTool(
  clients: GatewayClients,
  request: Parameters<GatewayClients['tools']['callTool']>[0],
  onPending?: (calls: readonly PendingCall[]) => Promise<unknown>,
): Promise<Event[]> {
  return collect(clients.tools.callTool(request), onPending);
}

async function collect(
  stream: AsyncIterable<{ readonly event?: Event | undefined }>,
  onPending: (calls: readonly PendingCall[]) => Promise<unknown> = async () => undefined,
): Promise<Event[]> {
  const events: Event[] = [];
  for await (const { event } of stream) {
    if (event === undefined) continue;
    events.push(event);
    if (event.event.case === 'confirmationRequired') await onPending(event.event.value.calls);
  }
  return events;
}

/** Allows every call that waits. */
export function allowing(clients: GatewayClients, sessionId: string) {
  return (calls: readonly PendingCall[]) =>
    clients.sessions.resolve({
      sessionId,
      answers: calls.map(({ callId }) => ({ callId, answer: { case: 'allow' as const, value: {} } })),
    });
}

/** Bodies of the events of one case, in order. */
export function bodies<Case extends NonNullable<Event['event']['case']>>(
  events: readonly Event[],
  wanted: Case,
): Body<Case>[] {
  return events.flatMap(({ event }) => (event.case === wanted ? [event.value as Body<Case>] : []));
}

/** The reply as its last event tells it. */
export function endOf(events: readonly Event[]): Reply | undefined {
  return bodies(events, 'replyEnd')[0]?.reply;
}

/** All text of a result. */
export function resultText(result: ToolResult | undefined): string {
  const blocks = result?.content ?? [];
  return blocks.map(({ block }) => (block.case === 'text' ? block.value.text : '')).join('\n');
}

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
  if (session === undefined || session.activeReply === undefined) return;
  const { pending, lastSequence, activeReply } = session;
  if (pending.length > 0) await onPending(pending);
  for await (const { message } of clients.sessions.watchSession({ sessionId, afterSequence: lastSequence })) {
    if (message.case !== 'event') continue;
    const { event } = message.value;
    if (event.case === 'confirmationRequired') await onPending(event.value.calls);
    const ended = event.case === 'replyEnd' ? event.value.reply : undefined;
    if (ended?.replyId === activeReply.replyId && ended.state === ReplyState.FINISHED) return;
  }
}
