import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError } from '@connectrpc/connect';
import {
  type PendingAnswerSchema,
  type PendingCall,
  PendingKind,
  type Reply,
  StopReason,
  StopReasonSchema,
} from '#gen/toolgate/gateway/v1/session_pb.ts';
import {
  type ResolveResponse,
  ResolveStatus,
  ResolveStatusSchema,
  type SessionService,
} from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { createPatience } from './connection-loss.ts';
import type { Options } from './options.ts';
import { replyEvents } from './reply-events.ts';
import { createTranscript, nameOf, oneLine, say, visible } from './transcript.ts';

type Sessions = Client<typeof SessionService>;
type Answer = MessageInitShape<typeof PendingAnswerSchema>;

/** Creates a session, sends the message, and resolves with the answer of the agent. An abort interrupts the agent. */
export async function runTurn(sessions: Sessions, options: Options, signal: AbortSignal): Promise<string> {
  const agent = { case: 'agentName' as const, value: options.agent };
  const { session } = await sessions.createSession({ agent }, { signal });
  const sessionId = session?.sessionId ?? '';
  say(`session   ${sessionId} with agent ${options.agent}`);
  try {
    return await followTurn(sessions, sessionId, options, signal);
  } catch (error) {
    if (signal.aborted) await sessions.interrupt({ sessionId, reason: 'interrupted by the user' });
    throw error;
  }
}

async function followTurn(
  sessions: Sessions,
  sessionId: string,
  options: Options,
  signal: AbortSignal,
): Promise<string> {
  const content = options.texts.map(text => ({ block: { case: 'text' as const, value: { text } } }));
  const transcript = createTranscript();
  let reply: Reply | undefined;
  for await (const event of replyEvents(sessions, { sessionId, content, requestId: randomUUID() }, signal)) {
    transcript.show(event);
    if (event.event.case === 'replyEnd') reply = event.event.value.reply;
    if (event.event.case !== 'confirmationRequired') continue;
    for (const call of event.event.value.calls) {
      if (call.kind === PendingKind.PERMISSION) await answerCall(sessions, sessionId, call, options, signal);
    }
  }
  if (reply?.stopReason === StopReason.COMPLETED) return transcript.answer();
  throw new Error(`The reply ended with ${nameOf(StopReasonSchema, reply?.stopReason)}: ${reply?.error}`);
}

/** Answers one call that waits, or leaves it to somebody else: the reply waits as long as it must. */
async function answerCall(
  sessions: Sessions,
  sessionId: string,
  call: PendingCall,
  options: Options,
  signal: AbortSignal,
): Promise<void> {
  say(`asks      ${call.toolName} ${visible(call.argumentsJson)}`);
  const answer = options.yes ? allow(call) : await ask(call, signal);
  if (answer === undefined) {
    say('waits     for somebody to answer: npm run toolgate -- approvals');
    return;
  }
  try {
    const { results } = await resolve(sessions, { sessionId, answers: [answer] }, signal);
    for (const { status, message } of results) {
      if (status === ResolveStatus.ACCEPTED) continue;
      say(`resolve   ${nameOf(ResolveStatusSchema, status)} ${oneLine(message)}`);
    }
  } catch (error) {
    if (!(error instanceof ConnectError) || error.code !== Code.PermissionDenied) throw error;
    say(`waits     for somebody who may answer: ${oneLine(error.rawMessage)}`);
  }
}

/** A second answer to the same call changes nothing, so it is sent again after a lost connection. */
async function resolve(
  sessions: Sessions,
  request: Parameters<Sessions['resolve']>[0],
  signal: AbortSignal,
): Promise<ResolveResponse> {
  const patience = createPatience(signal);
  while (true) {
    try {
      return await sessions.resolve(request, { signal });
    } catch (error) {
      await patience.pauseAfter(error);
    }
  }
}

/** Asks the person at the terminal; undefined where there is none. */
async function ask(call: PendingCall, signal: AbortSignal): Promise<Answer | undefined> {
  if (!process.stdin.isTTY) return undefined;
  say('Allow this call? y allows it once; anything else denies it and is told to the agent.');
  // Not as a terminal of its own, so that Ctrl-C stays a signal.
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    const typed = (await terminal.question('> ', { signal })).trim();
    if (/^y(es)?$/i.test(typed)) return allow(call);
    return { callId: call.callId, answer: { case: 'deny', value: { reason: typed } } };
  } finally {
    terminal.close();
  }
}

function allow({ callId }: PendingCall): Answer {
  return { callId, answer: { case: 'allow', value: {} } };
}
