import { type PendingCall, PendingKind } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';

/** A call that waits for a permission, and where. */
export interface WaitingCall {
  readonly sessionId: string;
  readonly user: string;
  readonly agent: string;
  readonly call: PendingCall;
}

const PAGE_SIZE = 500;

/** All calls that wait for a permission and that the caller may see, newest session first. */
export async function listWaitingCalls(client: GatewayClient, signal: AbortSignal): Promise<WaitingCall[]> {
  const waiting: WaitingCall[] = [];
  let pageToken = '';
  do {
    const page = await client.sessions.listSessions(
      { pendingOnly: true, pageSize: PAGE_SIZE, pageToken },
      { signal },
    );
    for (const { sessionId, user, agent, pending } of page.sessions) {
      const calls = pending.filter(call => call.kind === PendingKind.PERMISSION);
      waiting.push(...calls.map(call => ({ sessionId, user, agent: agent?.name ?? '', call })));
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return waiting;
}

/** The waiting call with this id, or with the only id that begins so; undefined when there is none. */
export async function findWaitingCall(
  client: GatewayClient,
  callId: string,
  signal: AbortSignal,
): Promise<WaitingCall | undefined> {
  const waiting = await listWaitingCalls(client, signal);
  const exact = waiting.filter(({ call }) => call.callId === callId);
  const matches = exact.length > 0 ? exact : waiting.filter(({ call }) => call.callId.startsWith(callId));
  if (matches.length <= 1) return matches[0];
  throw new CommandFailure(
    `${matches.length} waiting calls begin with ${escapeToOneLine(callId)}: write more of the id.`,
    EXIT_CODES.usage,
  );
}
