import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from './process-start.mjs';

/** How often a waiter looks whether the lock is free. */
const POLL_MS = 200;

/**
 * Takes a lock that processes of this machine share, and waits while a living process holds it. The lock of a process
 * that died is taken over.
 *
 * @param {string} path
 * @param {{ onWait?: (ownerPid: number) => void, signal?: AbortSignal }} [options]
 * @returns {Promise<{ release(): void }>}
 */
export async function acquireFileLock(path, options = {}) {
  const mine = JSON.stringify({ pid: process.pid, start: processStart(process.pid) });
  // Written aside and linked, so that nobody ever reads a lock without its owner.
  const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(aside, mine, { mode: 0o600 });
  try {
    while (!tryLink(aside, path)) {
      const owner = readOwner(path);
      if (owner !== undefined && !owner.alive) removeStale(path, aside, owner.text);
      else {
        if (owner !== undefined) options.onWait?.(owner.pid);
        await sleep(POLL_MS, undefined, options.signal === undefined ? {} : { signal: options.signal });
      }
    }
  } finally {
    rmSync(aside, { force: true });
  }
  return {
    release: () => {
      if (readOwner(path)?.text === mine) rmSync(path, { force: true });
    },
  };
}

/**
 * @param {string} from
 * @param {string} to
 */
function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} path */
function readOwner(path) {
  try {
    const text = readFileSync(path, 'utf8');
    const { pid, start } = JSON.parse(text);
    return { text, pid: Number(pid), alive: processStart(Number(pid)) === start };
  } catch (error) {
    if (error instanceof SyntaxError) return { text: '', pid: 0, alive: false };
    return undefined;
  }
}

/**
 * Two waiters may find the same dead owner: the one that renames last could move away the new owner's lock, so what
 * was moved is looked at and put back when it is not the dead one.
 *
 * @param {string} path
 * @param {string} aside
 * @param {string} staleText
 */
function removeStale(path, aside, staleText) {
  const moved = `${aside}.stale`;
  try {
    renameSync(path, moved);
  } catch {
    return;
  }
  const text = readFileSync(moved, 'utf8');
  if (staleText !== '' && text !== staleText) tryLink(moved, path);
  rmSync(moved, { force: true });
}
