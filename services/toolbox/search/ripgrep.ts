import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { CommandUser } from '#toolbox/command-user.ts';
import type { OwnProcesses } from '#toolbox/shell/own-processes.ts';

/** One run of ripgrep. */
export interface RipgrepRun {
  /** Where it starts and what its output is relative to. */
  readonly directory: string;
  readonly args: readonly string[];
  /** Byte that ends a record of its output. */
  readonly separator: number;
  /** Takes each record; answers false to end the run, for example when enough was found. */
  readonly onRecord: (record: Buffer) => boolean;
  readonly signal: AbortSignal;
}

/** How a run ended. */
export interface RipgrepEnd {
  /** 0 matches, 1 none, 2 errors; null when it was ended early. */
  readonly exitCode: number | null;
  /** Its messages, cut at some KiB. */
  readonly messages: string;
}

/** Runs ripgrep as the commands' user. */
export type Ripgrep = (run: RipgrepRun) => Promise<RipgrepEnd>;

/** What ripgrep is run with. */
export interface RipgrepOptions {
  readonly ripgrepPath: string;
  readonly user: CommandUser;
  readonly ownProcesses: OwnProcesses;
}

/** Enters the directory after the change of user, which spawn's own option does before. */
const ENTER_AND_RUN = 'cd -- "$1" && shift && exec "$@"';
const MESSAGE_LIMIT_BYTES = 8 * 1024;
/** Longest record that is kept; what is longer is cut. */
const RECORD_LIMIT_BYTES = 64 * 1024;

/** Makes the function that runs ripgrep. */
export function createRipgrep(options: RipgrepOptions): Ripgrep {
  return async run => {
    run.signal.throwIfAborted();
    const child = spawn(
      '/bin/sh',
      ['-c', ENTER_AND_RUN, 'sh', run.directory, options.ripgrepPath, '--no-config', ...run.args],
      {
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...options.user.ids,
      },
    );
    const release = options.ownProcesses.add(child.pid);
    const onAbort = (): boolean => child.kill('SIGKILL');
    run.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const end = await follow(child, child.stdout, child.stderr, run);
      run.signal.throwIfAborted();
      return end;
    } finally {
      run.signal.removeEventListener('abort', onAbort);
      release();
    }
  };
}

async function follow(
  child: ChildProcess,
  stdout: Readable,
  stderr: Readable,
  run: RipgrepRun,
): Promise<RipgrepEnd> {
  const messages: Buffer[] = [];
  let messageBytes = 0;
  stderr.on('data', (piece: Buffer) => {
    if (messageBytes < MESSAGE_LIMIT_BYTES)
      messages.push(piece.subarray(0, MESSAGE_LIMIT_BYTES - messageBytes));
    messageBytes += piece.length;
  });
  const split = splitRecords(run.separator, run.onRecord);
  stdout.on('data', (piece: Buffer) => {
    if (split.feed(piece)) return;
    stdout.destroy();
    child.kill('SIGKILL');
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve(code));
  });
  if (exitCode !== null) split.end();
  return { exitCode, messages: Buffer.concat(messages).toString() };
}

/** Cuts pieces into records; `feed` answers false once no more are wanted. */
function splitRecords(separator: number, onRecord: (record: Buffer) => boolean) {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const hold = (part: Buffer): void => {
    const room = RECORD_LIMIT_BYTES - heldBytes;
    if (room > 0 && part.length > 0) held.push(part.subarray(0, room));
    heldBytes += part.length;
  };
  const give = (): boolean => {
    const record = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return onRecord(record);
  };
  return {
    feed: (piece: Buffer): boolean => {
      let start = 0;
      for (let at = piece.indexOf(separator); at !== -1; at = piece.indexOf(separator, start)) {
        hold(piece.subarray(start, at));
        if (!give()) return false;
        start = at + 1;
      }
      hold(piece.subarray(start));
      return true;
    },
    end: (): void => {
      if (heldBytes > 0) give();
    },
  };
}
