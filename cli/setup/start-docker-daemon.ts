import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tailOf } from '../bootstrap/logged-command.mjs';
import { CommandFailure } from '../command-failure.ts';
import { runCommand } from '../processes/run-command.ts';

/** A first start also creates storage and networks; on a slow disk that took 20 s. */
const READY_TIMEOUT_MS = 60_000;
/** A package that was just installed may be starting the daemon itself. */
const AFTER_INSTALL_MS = 2_000;
const POLL_MS = 250;

/** Pid files of the daemon and of its helper, each with the name of its program. */
const PID_FILES = [
  { path: '/var/run/docker.pid', program: 'dockerd' },
  { path: '/var/run/docker/containerd/containerd.pid', program: 'containerd' },
] as const;

/** What starting needs. */
export interface StartDockerOptions {
  readonly logFolder: string;
  readonly detail: (text: string) => void;
  readonly signal: AbortSignal;
  readonly wasJustInstalled: boolean;
  /** True when the daemon answers. */
  readonly answers: () => Promise<boolean>;
}

/** Starts the installed daemon, by systemd where it runs, and waits until it answers. It outlives this process. */
export async function startDockerDaemon(options: StartDockerOptions): Promise<void> {
  if (options.wasJustInstalled && (await answersWithin(AFTER_INSTALL_MS, options, () => false))) return;
  options.detail('starting the daemon');
  if (existsSync('/run/systemd/system')) await startBySystemd(options);
  else await startByHand(options);
}

async function startBySystemd(options: StartDockerOptions): Promise<void> {
  const started = await runCommand('systemctl', ['start', 'docker'], { signal: options.signal });
  if (started.code !== 0 || !(await answersWithin(READY_TIMEOUT_MS, options, () => false))) {
    throw new CommandFailure(
      `systemd could not start Docker: ${started.stderr.trim()}\nLook at "journalctl -u docker".`,
    );
  }
}

async function startByHand(options: StartDockerOptions): Promise<void> {
  removeStalePidFiles();
  const logPath = `${options.logFolder}/dockerd.log`;
  const log = openSync(logPath, 'a', 0o600);
  const child = spawn('dockerd', [], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
  });
  closeSync(log);
  let ended = false;
  child.once('error', () => {
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  child.unref();
  if (await answersWithin(READY_TIMEOUT_MS, options, () => ended)) return;
  throw new CommandFailure(
    `dockerd ${ended ? 'ended' : `did not answer within ${READY_TIMEOUT_MS / 1000} s`}; the end of its log:\n${tailOf(logPath)}\nWhole log: ${logPath}`,
  );
}

async function answersWithin(
  limitMs: number,
  options: StartDockerOptions,
  gaveUp: () => boolean,
): Promise<boolean> {
  const deadlineMs = performance.now() + limitMs;
  while (performance.now() < deadlineMs && !gaveUp()) {
    if (await options.answers()) return true;
    await sleep(POLL_MS, undefined, { signal: options.signal });
  }
  return options.answers();
}

/** dockerd refuses to start while its old pid file names any living process, also one that only got the same pid. */
function removeStalePidFiles(): void {
  for (const { path, program } of PID_FILES) {
    if (existsSync(path) && programOf(readFileSync(path, 'utf8').trim()) !== program) rmSync(path);
  }
}

function programOf(pid: string): string {
  const path = `/proc/${pid}/comm`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}
