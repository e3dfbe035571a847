import { create } from '@bufbuild/protobuf';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { PendingCall, Reply } from '#gen/toolgate/gateway/v1/session_pb.ts';
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
