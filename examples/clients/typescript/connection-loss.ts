import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3_000;
// A gateway that restarts is back well within this time.
const PATIENCE_MS = 60_000;
// How Connect for Node names a connection that was not made, and the ways in which one breaks.
const LOSSES: readonly Code[] = [Code.Unavailable, Code.Aborted, Code.Canceled];

/** Waits for a connection to come back, a little longer each time. */
export interface Patience {
  /** Begins anew. */
  connected(): void;
  /** Throws what is no lost connection, and any error once the connection was lost for too long. */
  pauseAfter(error: unknown): Promise<void>;
}

/** Patience that an abort ends at once. */
export function createPatience(signal: AbortSignal): Patience {
  let pauseMs = FIRST_PAUSE_MS;
  let connectedAtMs = performance.now();
  return {
    connected: () => {
      pauseMs = FIRST_PAUSE_MS;
      connectedAtMs = performance.now();
    },
    pauseAfter: async error => {
      const isLoss = error instanceof ConnectError && LOSSES.includes(error.code);
      if (!isLoss || performance.now() - connectedAtMs > PATIENCE_MS) throw error;
      await sleep(pauseMs, undefined, { signal });
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    },
  };
}
