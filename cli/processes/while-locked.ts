import { acquireFileLock } from '../bootstrap/file-lock.mjs';
import { startProgress } from '../bootstrap/progress.mjs';
import type { TextOutput } from '../cli-io.ts';

/** Time a lock may be held before a person is told what is waited for. */
const QUIET_MS = 500;

/** Does the work while nobody else holds the lock; shows what is waited for meanwhile. */
export async function whileLocked<Result>(
  options: {
    readonly path: string;
    /** For example "Waiting for another set-up". */
    readonly waitingTitle: string;
    readonly output: TextOutput;
    readonly signal: AbortSignal;
  },
  work: () => Promise<Result>,
): Promise<Result> {
  const waiting = startProgress({
    title: options.waitingTitle,
    output: options.output,
    quietMs: QUIET_MS,
  });
  const lock = await acquireFileLock(options.path, {
    signal: options.signal,
    onWait: ownerPid => waiting.detail(`process ${ownerPid} is at it`),
  }).finally(() => waiting.drop());
  try {
    return await work();
  } finally {
    lock.release();
  }
}
