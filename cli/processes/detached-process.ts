import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tailOf } from '../bootstrap/logged-command.mjs';
import { CommandFailure } from '../command-failure.ts';
import { livingPid, removePidFile, writePidFile } from './pid-file.ts';

const POLL_MS = 50;
/** Node's start, the migrations of an old store and the clean-up of old sandboxes fit into it many times. */
const READY_TIMEOUT_MS = 60_000;

/** A program of the project that runs on after the command that started it. */
export interface DetachedProgram {
  /** For people, for example "gateway". */
  readonly title: string;
  /** File that Node runs, relative to the project. */
  readonly mainFile: string;
  readonly projectFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly pidFile: string;
  readonly logFile: string;
  /** True when the process with this pid takes requests. */
  readonly isReady: (pid: number) => Promise<boolean>;
}

/** Starts a program in a session of its own and returns its pid once it is ready. */
export async function startDetached(program: DetachedProgram, signal: AbortSignal): Promise<number> {
  const log = openSync(program.logFile, 'a', 0o600);
  const child = spawn(process.execPath, [program.mainFile], {
    cwd: program.projectFolder,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...program.env },
  });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new CommandFailure(`The ${program.title} could not be started.`);
  writePidFile(program.pidFile, pid);
  child.unref();
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (livingPid(program.pidFile) !== undefined && performance.now() < deadlineMs) {
    if (await program.isReady(pid)) return pid;
    await sleep(POLL_MS, undefined, { signal });
  }
  const ended = livingPid(program.pidFile) === undefined;
  if (!ended) await stopDetached(program.pidFile, { graceMs: 0, signal });
  throw new CommandFailure(
    `The ${program.title} ${ended ? 'ended at once' : `was not ready in ${READY_TIMEOUT_MS / 1000} s`}; the end of its log:\n${tailOf(program.logFile)}\nWhole log: ${program.logFile}`,
  );
}

/** How a process came to its end. */
export type StopEnd = 'not running' | 'stopped' | 'killed';

/** Asks a process to end, and kills it when it has not done so in the time of grace. */
export async function stopDetached(
  pidFile: string,
  options: { readonly graceMs: number; readonly signal: AbortSignal },
): Promise<StopEnd> {
  const pid = livingPid(pidFile);
  if (pid === undefined) {
    removePidFile(pidFile);
    return 'not running';
  }
  process.kill(pid, 'SIGTERM');
  const deadlineMs = performance.now() + options.graceMs;
  while (livingPid(pidFile) !== undefined && performance.now() < deadlineMs) {
    await sleep(POLL_MS, undefined, { signal: options.signal });
  }
  const isLate = livingPid(pidFile) !== undefined;
  if (isLate) process.kill(pid, 'SIGKILL');
  while (livingPid(pidFile) !== undefined) await sleep(POLL_MS, undefined, { signal: options.signal });
  removePidFile(pidFile);
  return isLate ? 'killed' : 'stopped';
}
