import type { ConfirmationAnswered } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type ResolveResult, ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { localTime } from '../render/time-text.ts';

/** A call that waits no more: what the gateway says about it, for programs, and the same for a person. */
export interface AnsweredCall {
  readonly result: ResolveResult;
  readonly text: string;
}

/** Sessions that are looked through, newest first; the largest page of the gateway. */
const SESSION_COUNT = 500;
/** Requests under way at once. */
const BATCH_SIZE = 20;

/** Looks for a call by its whole id among those that were answered or given up; undefined when no session knows it. */
export async function findAnsweredCall(
  client: GatewayClient,
  callId: string,
  signal: AbortSignal,
): Promise<AnsweredCall | undefined> {
  const { sessions } = await client.sessions.listSessions({ pageSize: SESSION_COUNT }, { signal });
  for (let start = 0; start < sessions.length; start += BATCH_SIZE) {
    const batch = sessions.slice(start, start + BATCH_SIZE);
    const results = await Promise.all(batch.map(({ sessionId }) => probe(client, sessionId, callId, signal)));
    const at = results.findIndex(result => result?.status === ResolveStatus.ALREADY_ANSWERED);
    const [session, result] = [batch[at], results[at]];
    if (session !== undefined && result !== undefined) {
      return { result, text: await answerText(client, session.sessionId, callId, signal) };
    }
  }
  return undefined;
}

/** An answer that says nothing can move no call, and the gateway tells what became of the call. */
async function probe(
  client: GatewayClient,
  sessionId: string,
  callId: string,
  signal: AbortSignal,
): Promise<ResolveResult | undefined> {
  const { results } = await client.sessions.resolve({ sessionId, answers: [{ callId }] }, { signal });
  return results[0];
}

async function answerText(
  client: GatewayClient,
  sessionId: string,
  callId: string,
  signal: AbortSignal,
): Promise<string> {
  const events = client.sessions.watchSession({ sessionId, replayOnly: true }, { signal });
  for await (const { message } of events) {
    if (message.case !== 'event') continue;
    const { event, time } = message.value;
    if (event.case === 'confirmationAnswered' && event.value.answer?.callId === callId) {
      return `Call ${callId} was already ${whatWasSaid(event.value)} at ${localTime(time)}; nothing changed.`;
    }
  }
  return `Call ${callId} does not wait any more: it was decided without a person, or its reply was given up; nothing changed.`;
}

function whatWasSaid({ answer, approver }: ConfirmationAnswered): string {
  const how = answer?.answer.case === 'deny' ? 'denied' : 'approved';
  return `${how} by ${escapeToOneLine(approver)}`;
}
