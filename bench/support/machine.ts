import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** One line about the machine that the figures come from. */
export function describeMachine(): string {
  const cpu = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memoryGib = Math.round(totalmem() / 1024 ** 3);
  return `${cpu}, ${availableParallelism()} cores, ${memoryGib} GiB, ${type()} ${release()}, Node ${process.version}`;
}
