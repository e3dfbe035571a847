/**
 * Order of a session's calls, whatever made them: in the order they came, neighbouring shared ones at the same time,
 * an exclusive one alone.
 */
export interface SlotQueue {
  /** Runs `work` when its turn comes. Rejects with the signal's reason if it is aborted before that. */
  run<T>(kind: 'shared' | 'exclusive', work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface Waiter {
  readonly kind: 'shared' | 'exclusive';
  readonly start: () => void;
}

/** An empty queue. */
export function createSlotQueue(): SlotQueue {
  const waiting: Waiter[] = [];
  let running = 0;
  let exclusiveRuns = false;

  const startNext = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const blocked = exclusiveRuns || (next.kind === 'exclusive' && running > 0);
      if (blocked) return;
      waiting.shift();
      running += 1;
      exclusiveRuns = next.kind === 'exclusive';
      next.start();
    }
  };
  const finish = (): void => {
    running -= 1;
    exclusiveRuns = false;
    startNext();
  };
  const turn = (kind: Waiter['kind'], signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        const position = waiting.indexOf(waiter);
        if (position === -1) return;
        waiting.splice(position, 1);
        reject(signal.reason);
        startNext();
      };
      const waiter: Waiter = {
        kind,
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(waiter);
      startNext();
    });

  return {
    run: async (kind, work, signal) => {
      signal.throwIfAborted();
      await turn(kind, signal);
      try {
        return await work();
      } finally {
        finish();
      }
    },
  };
}

/** Hands out one queue a session. */
export function createSlotQueues(): { of(sessionId: string): SlotQueue; forget(sessionId: string): void } {
  const queues = new Map<string, SlotQueue>();
  return {
    of: sessionId => {
      const queue = queues.get(sessionId) ?? createSlotQueue();
      queues.set(sessionId, queue);
      return queue;
    },
    forget: sessionId => {
      queues.delete(sessionId);
    },
  };
}
