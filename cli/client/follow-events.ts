import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { GatewayClient } from './gateway-client.ts';
import { isConnectionLoss } from './rpc-failure.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3_000;

/** How events are followed. */
export interface FollowOptions {
  readonly client: GatewayClient;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  /** Told before each new try, with what broke the connection. */
  readonly onLoss: (problem: string) => void;
  /** Longest time without a connection before the loss is thrown; Infinity never gives up. */
  readonly patienceMs: number;
}

/**
 * Events of a session after a sequence number, each exactly once and in order, over as many connections as it takes.
 * Ends when the session is deleted.
 */
export async function* followSession(
  options: FollowOptions & { readonly afterSequence: bigint },
): AsyncGenerator<Event> {
  let lastSequence = options.afterSequence;
  const retry = createRetry(options);
  while (true) {
    let problem: unknown = 'the gateway ended the stream';
    try {
      for await (const event of watchOnce(options, lastSequence, retry.isConnected)) {
        lastSequence = event.sequence;
        yield event;
      }
    } catch (error) {
      options.signal.throwIfAborted();
      if (isGone(error) && lastSequence > 0n) return;
      problem = error;
    }
    await retry.pauseAfter(problem);
  }
}

/**
 * The events of one reply, from a stream that began it to the event that ends it. When that stream breaks, the rest is
 * read by watching the session; the reply itself does not notice.
 */
export async function* followReply(
  options: FollowOptions & { readonly begin: (signal: AbortSignal) => AsyncIterable<Event> },
): AsyncGenerator<Event> {
  let lastSequence = 0n;
  let replyId = '';
  for await (const event of beginThenWatch(options, () => lastSequence)) {
    lastSequence = event.sequence;
    if (replyId === '') replyId = event.replyId;
    yield event;
    if (event.event.case === 'replyEnd' && event.replyId === replyId) return;
  }
}

async function* beginThenWatch(
  options: FollowOptions & { readonly begin: (signal: AbortSignal) => AsyncIterable<Event> },
  lastSequence: () => bigint,
): AsyncGenerator<Event> {
  try {
    yield* options.begin(options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    if (lastSequence() === 0n || !isConnectionLoss(error)) throw error;
    options.onLoss(textOf(error));
  }
  if (lastSequence() > 0n) yield* followSession({ ...options, afterSequence: lastSequence() });
}

interface Retry {
  isConnected(): void;
  /** Waits a little longer each time; throws what cannot be mended, or once the patience is at its end. */
  pauseAfter(problem: unknown): Promise<void>;
}

function createRetry(options: FollowOptions): Retry {
  let lostAtMs: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  return {
    isConnected: () => {
      lostAtMs = undefined;
      pauseMs = FIRST_PAUSE_MS;
    },
    pauseAfter: async problem => {
      const nowMs = performance.now();
      lostAtMs ??= nowMs;
      const isFinal = problem instanceof Error && !isConnectionLoss(problem);
      if (isFinal || nowMs - lostAtMs > options.patienceMs) throw problem;
      options.onLoss(textOf(problem));
      await sleep(pauseMs, undefined, { signal: options.signal });
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    },
  };
}

async function* watchOnce(
  options: FollowOptions,
  afterSequence: bigint,
  isConnected: () => void,
): AsyncGenerator<Event> {
  const { client, sessionId, signal } = options;
  for await (const { message } of client.sessions.watchSession({ sessionId, afterSequence }, { signal })) {
    isConnected();
    if (message.case === 'event') yield message.value;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.NotFound;
}

function textOf(problem: unknown): string {
  return problem instanceof ConnectError ? problem.rawMessage : String(problem);
}
