import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { processStart } from '../bootstrap/process-start.mjs';

/** Notes a running process, with its start so that a later owner of the pid is never taken for it. */
export function writePidFile(path: string, pid: number): void {
  writeFileSync(path, JSON.stringify({ pid, start: processStart(pid) }), { mode: 0o600 });
}

/** Pid of the noted process while it runs; undefined when it ended, or when nothing was noted. */
export function livingPid(path: string): number | undefined {
  const noted = readPidFile(path);
  const isAlive = noted?.start !== undefined && processStart(noted.pid) === noted.start;
  return isAlive ? noted.pid : undefined;
}

/** Forgets the process. */
export function removePidFile(path: string): void {
  rmSync(path, { force: true });
}

function readPidFile(path: string): { pid: number; start: string | undefined } | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const { pid, start } = JSON.parse(readFileSync(path, 'utf8'));
    return { pid: Number(pid), start: typeof start === 'string' ? start : undefined };
  } catch (error) {
    // Whoever wrote it was killed in the middle; the process it started cannot be named any more.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
