import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { CommandUser } from '#toolbox/command-user.ts';
import type { OwnProcesses } from '#toolbox/shell/own-processes.ts';
import type { PipePool } from '#toolbox/shell/pipe-pool.ts';

/** How a shell ended: by itself or by a signal. */
export type ShellExit =
  | { readonly kind: 'EXITED'; readonly exitCode: number }
  | { readonly kind: 'SIGNALED'; readonly signal: NodeJS.Signals };

/** Where a script starts. */
export interface StartDirectories {
  readonly directory: string;
  /** Taken when the directory cannot be entered. */
  readonly root: string;
}

/** What a shell said about its directories; commands could forge it, and gain nothing. */
export interface DirectoryReport {
  /** True when it had to start in the root. */
  readonly wasLost: boolean;
  /** Where it ended; undefined when it could not say, for example because it was killed. */
  readonly final: string | undefined;
}

/** A bash that has started and waits for its script. It runs one. */
export interface Shell {
  readonly pid: number;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Resolves when the shell has ended, whatever its children do. */
  readonly exited: Promise<ShellExit>;
  readonly hasExited: () => boolean;
  /** Lets it go: enters the directory, or the root where that is not possible, and runs the script. */
  run(directories: StartDirectories, script: string): void;
  /** What it said about directories. Closes the script file. */
  finish(): DirectoryReport;
}

/** What a shell is started with. */
export interface ShellOptions {
  readonly user: CommandUser;
  readonly environment: Readonly<Record<string, string>>;
  readonly pipes: PipePool;
  /** The toolbox's own folder. */
  readonly runtimeDir: string;
  readonly ownProcesses: OwnProcesses;
}

/** Where the shell keeps its script file open; high enough not to meet the descriptors scripts use. */
const SCRIPT_FD = 200;
/** What the shell writes when it could not enter its directory; printf turns the last two characters into a NUL. */
const LOST = 'lost\\0';
/**
 * What bash runs before it knows the script. A line on standard input says go. Then standard input is closed off, the
 * directories and the script come from an unlinked file, and the directory it ends in goes into the same file. The
 * kernel takes commands for memory before the toolbox.
 */
const BOOT = [
  'read -r || exit 0',
  `exec </dev/null ${SCRIPT_FD}<&3 3<&-`,
  'echo 500 2>/dev/null >/proc/self/oom_score_adj',
  `IFS= read -r -d "" __dir <&${SCRIPT_FD}`,
  `IFS= read -r -d "" __root <&${SCRIPT_FD}`,
  `IFS= read -r -d "" __script <&${SCRIPT_FD}`,
  `trap '{ pwd -P; printf "\\0"; } 2>/dev/null >&${SCRIPT_FD}' EXIT`,
  `cd -- "$__dir" 2>/dev/null || { cd -- "$__root" && printf "${LOST}" >&${SCRIPT_FD}; }`,
  'eval "unset -v __dir __root __script; $__script"',
].join('; ');
/** Longest path the kernel has. */
const PATH_LIMIT_BYTES = 4096;

/** Starts a shell that waits. It counts as the toolbox's own process until it runs. */
export async function startShell(options: ShellOptions): Promise<Shell> {
  const [out, err] = [await options.pipes.take(), await options.pipes.take()];
  const scriptFd = openScriptFile(options.runtimeDir);
  const child = spawn('/bin/bash', ['--norc', '--noprofile', '-c', BOOT, 'bash'], {
    cwd: '/',
    env: { ...options.environment },
    stdio: ['pipe', out.writeFd, err.writeFd, scriptFd],
    detached: true,
    ...options.user.ids,
  });
  closeSync(out.writeFd);
  closeSync(err.writeFd);
  const exited = exitOf(child);
  if (child.pid === undefined) {
    closeSync(scriptFd);
    await exited;
  }
  return waitingShell(child, { stdout: out.reader, stderr: err.reader, scriptFd, exited, options });
}

interface ShellParts {
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly scriptFd: number;
  readonly exited: Promise<ShellExit>;
  readonly options: ShellOptions;
}

function waitingShell(child: ChildProcess, parts: ShellParts): Shell {
  const { pid = 0, stdin } = child;
  const { stdout, stderr, scriptFd, exited } = parts;
  const release = parts.options.ownProcesses.add(child.pid);
  let scriptEnd = 0;
  stdin?.on('error', () => undefined);
  return {
    pid,
    stdout,
    stderr,
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    run: ({ directory, root }, script) => {
      release();
      const bytes = Buffer.from(`${directory}\0${root}\0${script}`);
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(scriptFd, bytes, done, bytes.length - done, done);
      }
      scriptEnd = bytes.length;
      stdin?.end('\n');
    },
    finish: () => {
      release();
      const buffer = Buffer.alloc(2 * PATH_LIMIT_BYTES);
      const length = readSync(scriptFd, buffer, 0, buffer.length, scriptEnd);
      // A child may hold the file open, and what commands wrote into it would take the room of the next script.
      ftruncateSync(scriptFd);
      closeSync(scriptFd);
      return parseReport(buffer.toString('utf8', 0, length));
    },
  };
}

/** Records end with NUL; the last one is `path LF`. */
function parseReport(text: string): DirectoryReport {
  const records = text.split('\0').slice(0, -1);
  const last = records.at(-1);
  return {
    wasLost: records[0] === 'lost',
    final: last?.startsWith('/') && last.endsWith('\n') ? last.slice(0, -1) : undefined,
  };
}

function openScriptFile(folder: string): number {
  const path = join(folder, 'script');
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return fd;
}

function exitOf(child: ChildProcess): Promise<ShellExit> {
  const exited = new Promise<ShellExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => {
      resolve(signal === null ? { kind: 'EXITED', exitCode: exitCode ?? 0 } : { kind: 'SIGNALED', signal });
    });
  });
  exited.catch(() => undefined);
  return exited;
}
