/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { type Client, Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createGrpcWebTransport } from '@connectrpc/connect-web';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import {
  type PendingCall,
  PendingKind,
  type Reply,
  StopReason,
} from '#gen/toolgate/gateway/v1/session_pb.ts';
import { SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { ToolService } from '#gen/toolgate/gateway/v1/tool_service_pb.ts';

type Sessions = Client<typeof SessionService>;

/** Runs one turn with what the form says. Text of models and tools is untrusted: it is shown as text, never as HTML. */
async function runTurn(): Promise<void> {
  for (const id of ['tools', 'pending', 'answer']) element(id).replaceChildren();
  const token = field('token');
  const withToken: Interceptor = next => request => {
    request.header.set('authorization', `Bearer ${token}`);
    return next(request);
  };
  const transport = createGrpcWebTransport({ baseUrl: field('address'), interceptors: [withToken] });
  const sessions = createClient(SessionService, transport);
  const agent = { case: 'agentName' as const, value: field('agent') };
  const { session } = await sessions.createSession({ agent });
  const sessionId = session?.sessionId ?? '';
  const { tools } = await createClient(ToolService, transport).listTools({ sessionId });
  for (const { spec, executor } of tools) addItem('tools', `${spec?.name} (${executor})`);
  await followReply(sessions, sessionId);
}

async function followReply(sessions: Sessions, sessionId: string): Promise<void> {
  const content = [{ block: { case: 'text' as const, value: { text: field('message') } } }];
  // The request id keeps a message that a browser sends again from starting a second reply.
  const stream = sessions.sendMessage({ sessionId, content, requestId: crypto.randomUUID() });
  for await (const { event } of stream) {
    if (event !== undefined) showEvent(event, calls => offerAnswers(sessions, sessionId, calls));
  }
}

function showEvent({ event }: Event, onPending: (calls: readonly PendingCall[]) => void): void {
  switch (event.case) {
    case 'textBlockDelta':
      element('answer').append(event.value.text);
      break;
    case 'textBlockEnd':
      element('answer').append('\n');
      break;
    case 'confirmationRequired':
      onPending(event.value.calls);
      break;
    case 'replyEnd':
      showEnd(event.value.reply);
      break;
    default:
      break;
  }
}

function showEnd(reply: Reply | undefined): void {
  if (reply?.stopReason === StopReason.COMPLETED) show('Done.');
  else show(`The reply ended early. ${reply?.error}`);
}

function offerAnswers(sessions: Sessions, sessionId: string, calls: readonly PendingCall[]): void {
  for (const call of calls) {
    if (call.kind === PendingKind.PERMISSION) offerAnswer(sessions, sessionId, call);
  }
}

function offerAnswer(sessions: Sessions, sessionId: string, call: PendingCall): void {
  const item = addItem('pending', `${call.toolName} ${JSON.stringify(call.argumentsJson)} `);
  const offer = (label: string, answer: 'allow' | 'deny'): void => {
    const button = document.createElement('button');
    button.textContent = label;
    button.addEventListener('click', () => {
      item.remove();
      const answers = [{ callId: call.callId, answer: { case: answer, value: {} } }];
      sessions.resolve({ sessionId, answers }).catch(showFailure);
    });
    item.append(button);
  };
  offer('Allow', 'allow');
  offer('Deny', 'deny');
}

function addItem(listId: string, text: string): HTMLElement {
  const item = document.createElement('li');
  item.textContent = text;
  element(listId).append(item);
  return item;
}

function showFailure(error: unknown): void {
  const { code, rawMessage } = ConnectError.from(error);
  show(`Failed: ${Code[code]}: ${rawMessage}`);
}

function show(text: string): void {
  element('state').textContent = text;
}

function field(id: string): string {
  const input = element(id);
  if (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) return input.value.trim();
  throw new Error(`the page has no field ${id}`);
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

element('turn').addEventListener('submit', event => {
  event.preventDefault();
  show('Working…');
  runTurn().catch(showFailure);
});
