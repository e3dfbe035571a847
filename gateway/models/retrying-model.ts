import { setTimeout } from 'node:timers/promises';
import type { Logger } from '#kit/logger.ts';
import { type Model, type ModelChunk, ModelError, type ModelRequest } from './model.ts';

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;
/** A server that asks for more than this has no answer for the person who waits. */
const LONGEST_ASKED_WAIT_MS = 120_000;
/** Waits grow by up to this part at random, so that sessions that failed together do not come back together. */
const JITTER = 0.25;
const LONGEST_JITTER_MS = 2_000;

/** Waits, or throws the reason of the signal as soon as it aborts. */
export type Sleep = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** The real clock. */
export const sleepOnClock: Sleep = async (delayMs, signal) => {
  try {
    await setTimeout(delayMs, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
};

/**
 * Asks again after an error that may pass, as long as nothing of the answer has arrived: waits 2 s, doubled each
 * time up to 30 s, or as long as the provider asks for; and a little longer at random.
 */
export function createRetryingModel(options: {
  readonly model: Model;
  /** Attempts in all. */
  readonly attempts: number;
  readonly logger: Logger;
  readonly sleep: Sleep;
  /** From 0 to 1. */
  readonly random: () => number;
}): Model {
  const { model, attempts, logger, sleep, random } = options;
  return {
    name: model.name,
    async *stream(request, signal) {
      for (let attempt = 1; ; attempt += 1) {
        const failure = yield* tryOnce(model, request, signal);
        if (failure === undefined) {
          return;
        }
        const waitMs = waitBefore(attempt, failure.error.retryAfterMs, random());
        if (failure.hasBegun || !failure.error.retryable || attempt >= attempts || waitMs === undefined) {
          throw failure.error;
        }
        const { reason, message } = failure.error;
        logger.warn(
          { model: model.name, session: request.sessionId, attempt, reason, message, waitMs },
          'model call is tried again',
        );
        await sleep(waitMs, signal);
      }
    },
  };
}

async function* tryOnce(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, { error: ModelError; hasBegun: boolean } | undefined> {
  let hasBegun = false;
  try {
    for await (const chunk of model.stream(request, signal)) {
      hasBegun = true;
      yield chunk;
    }
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) {
      return { error, hasBegun };
    }
    throw error;
  }
}

function waitBefore(attempt: number, askedMs: number | undefined, random: number): number | undefined {
  if (askedMs !== undefined && askedMs > LONGEST_ASKED_WAIT_MS) return undefined;
  const waitMs = askedMs ?? Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return Math.round(waitMs + Math.min(waitMs * JITTER, LONGEST_JITTER_MS) * random);
}
