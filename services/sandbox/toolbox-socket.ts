import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import { connectExecutor, type ExecutorLink } from '#kit/executor-client.ts';
import type { SandboxEnd } from '#sandbox/sandbox.ts';

/** The socket of one toolbox: a folder of its own, so that the folder can be mounted into a container. */
export interface ToolboxSocket {
  /** Tells this toolbox from all others. */
  readonly id: string;
  readonly folder: string;
  /** Name of the socket inside its folder. */
  readonly fileName: string;
  readonly path: string;
  readonly token: string;
  /** Connects once the toolbox listens; rejects when it ends before that or takes too long. */
  connect(ended: Promise<SandboxEnd>, signal: AbortSignal): Promise<ExecutorLink>;
  remove(): void;
}

const FILE_NAME = 's';
/** sun_path of Linux holds 108 bytes with the final NUL. */
const PATH_LIMIT_BYTES = 107;
const START_LIMIT_MS = 20_000;
const POLL_MS = 3;

/**
 * Prepares a socket below `socketDir`. With `group`, a toolbox that runs as root of a container without the right to
 * ignore modes gets in through that group; the token keeps out whoever else has it.
 */
export function prepareSocket(socketDir: string, group: boolean): ToolboxSocket {
  const id = randomBytes(6).toString('hex');
  const folder = join(socketDir, id);
  const path = join(folder, FILE_NAME);
  if (Buffer.byteLength(path) > PATH_LIMIT_BYTES) {
    throw new ConnectError(
      `socket path ${path} is longer than ${PATH_LIMIT_BYTES} bytes; choose a shorter socket folder`,
      Code.FailedPrecondition,
    );
  }
  mkdirSync(socketDir, { recursive: true, mode: 0o700 });
  requireOwn(socketDir);
  mkdirSync(folder, { mode: 0o700 });
  if (group) chmodSync(folder, 0o2770);
  const token = randomBytes(24).toString('base64url');
  return {
    id,
    folder,
    fileName: FILE_NAME,
    path,
    token,
    connect: (ended, signal) => connectWhenReady(path, token, ended, signal),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
      removeIfEmpty(socketDir);
    },
  };
}

/** The default folder lies in /tmp, where any user of the machine could have made one of that name first. */
function requireOwn(socketDir: string): void {
  const entry = lstatSync(socketDir);
  if (entry.isDirectory() && entry.uid === (process.getuid?.() ?? entry.uid)) return;
  throw new ConnectError(
    `the socket folder ${socketDir} belongs to another user; choose another with TOOLGATE_SANDBOX_SOCKET_DIR`,
    Code.FailedPrecondition,
  );
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!EXPECTED_CODES.has(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/** Another sandbox still has its socket there, or the folder is gone. */
const EXPECTED_CODES = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT']);

async function connectWhenReady(
  path: string,
  token: string,
  ended: Promise<SandboxEnd>,
  signal: AbortSignal,
): Promise<ExecutorLink> {
  const isOver = new AbortController();
  void ended.then(end => isOver.abort(new Error(`the toolbox ended before it was ready: ${end.detail}`)));
  const limit = AbortSignal.any([signal, isOver.signal, AbortSignal.timeout(START_LIMIT_MS)]);
  while (!existsSync(path)) {
    limit.throwIfAborted();
    await sleep(POLL_MS);
  }
  const link = connectExecutor({ address: `unix:${path}`, token: () => token });
  try {
    while (!(await answers(link, limit))) await sleep(POLL_MS);
    return link;
  } catch (error) {
    link.close();
    limit.throwIfAborted();
    throw error;
  }
}

/** False while the socket is there but nobody listens yet. */
async function answers(link: ExecutorLink, signal: AbortSignal): Promise<boolean> {
  try {
    await link.client.describe({}, { signal });
    return true;
  } catch (error) {
    if (signal.aborted || ConnectError.from(error).code !== Code.Unavailable) throw error;
    return false;
  }
}
