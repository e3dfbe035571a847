/** Something whose time is measured. */
export interface Subject {
  readonly name: string;
  /** Does it once. */
  readonly run: () => Promise<unknown>;
}

/** The times of one subject in milliseconds, in the order they were taken. */
export interface Samples {
  readonly name: string;
  readonly timesMs: readonly number[];
}

/**
 * Measures subjects one call at a time, in turns: a block of calls of the first, a block of the second, and again, so
 * that whatever else the machine does meets all of them alike. Warm-up calls are not counted.
 */
export async function measureInTurns(options: {
  readonly subjects: readonly Subject[];
  readonly warmUpCalls: number;
  readonly calls: number;
  readonly blockCalls: number;
  readonly signal: AbortSignal;
}): Promise<Samples[]> {
  const { subjects, warmUpCalls, calls, blockCalls, signal } = options;
  for (const subject of subjects) await timeCalls(subject, warmUpCalls, signal);
  const all = subjects.map(({ name }) => ({ name, timesMs: [] as number[] }));
  for (let done = 0; done < calls; done += blockCalls) {
    for (const [index, subject] of subjects.entries()) {
      const timesMs = await timeCalls(subject, Math.min(blockCalls, calls - done), signal);
      all[index]?.timesMs.push(...timesMs);
    }
  }
  return all;
}

async function timeCalls(subject: Subject, calls: number, signal: AbortSignal): Promise<number[]> {
  const timesMs: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    signal.throwIfAborted();
    const startedAtMs = performance.now();
    await subject.run();
    timesMs.push(performance.now() - startedAtMs);
  }
  return timesMs;
}

/** The time that this share of the calls stayed within: nearest rank, share from 0 to 1. */
export function percentileMs(timesMs: readonly number[], share: number): number {
  const sorted = [...timesMs].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  const time = sorted[rank - 1];
  if (time === undefined) throw new Error('nothing was measured');
  return time;
}
