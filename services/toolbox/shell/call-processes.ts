import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '#toolbox/files/file-errors.ts';
import type { OwnProcesses } from '#toolbox/shell/own-processes.ts';
import { listPids, listProcesses, type ProcessEntry, readProcess } from '#toolbox/shell/process-table.ts';

/** The processes one call started. */
export interface CallProcesses {
  /** Those that live now. */
  list(): readonly ProcessEntry[];
  /** TERM, then KILL until none is left or nothing helps; answers those that are left. */
  killAll(): Promise<readonly ProcessEntry[]>;
}

const TERM_GRACE_MS = 500;
const KILL_LIMIT_MS = 3_000;
const POLL_MS = 20;

/**
 * For a sandbox of one's own: whatever lives now and did not before the call is the call's, also what called setsid or
 * cleared its environment. Take it before the shell goes.
 */
export function everythingSince(shellPid: number, own: OwnProcesses): CallProcesses {
  const before = new Set(listPids());
  const shellStart = readProcess(shellPid)?.startTicks ?? 0;
  const isOurs = (entry: ProcessEntry): boolean => {
    if (own.has(entry.pid)) return false;
    if (entry.pid === shellPid) return entry.startTicks === shellStart;
    return !before.has(entry.pid);
  };
  const list = (): ProcessEntry[] =>
    listPids().flatMap(pid => {
      if ((before.has(pid) && pid !== shellPid) || own.has(pid)) return [];
      const entry = readProcess(pid);
      return entry !== undefined && isOurs(entry) ? [entry] : [];
    });
  return { list, killAll: () => killAll(list) };
}

/** For a machine shared with others: the shell's session, its group, and all descendants of these. */
export function familyOf(shellPid: number, own: OwnProcesses): CallProcesses {
  const known = new Set<string>();
  const list = (): ProcessEntry[] => {
    const all = listProcesses();
    const isMember = (entry: ProcessEntry): boolean =>
      entry.sessionId === shellPid || entry.groupId === shellPid || known.has(nameOf(entry));
    const family = new Set([shellPid, ...all.filter(isMember).map(entry => entry.pid)]);
    addDescendants(family, all);
    const members = all.filter(entry => family.has(entry.pid) && !own.has(entry.pid));
    for (const entry of members) known.add(nameOf(entry));
    return members;
  };
  return { list, killAll: () => killAll(list) };
}

function addDescendants(family: Set<number>, all: readonly ProcessEntry[]): void {
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const entry of all) if (family.has(entry.parentPid)) family.add(entry.pid);
  }
}

function nameOf(entry: ProcessEntry): string {
  return `${entry.pid}@${entry.startTicks}`;
}

async function killAll(list: () => readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
  signalAll(list(), 'SIGTERM');
  for (let waitedMs = 0; waitedMs < TERM_GRACE_MS; waitedMs += POLL_MS) {
    if (list().length === 0) return [];
    await sleep(POLL_MS);
  }
  freeze(list);
  let left = list();
  for (let waitedMs = 0; waitedMs < KILL_LIMIT_MS && left.length > 0; waitedMs += POLL_MS) {
    signalAll(left, 'SIGKILL');
    await sleep(POLL_MS);
    left = list();
  }
  return left;
}

/** Stops all before killing any, so that a fork bomb cannot outrun the kill. */
function freeze(list: () => readonly ProcessEntry[]): void {
  const frozen = new Set<string>();
  for (let pass = 0; pass < 50; pass += 1) {
    const fresh = list().filter(entry => !frozen.has(nameOf(entry)));
    if (fresh.length === 0) return;
    signalAll(fresh, 'SIGSTOP');
    for (const entry of fresh) frozen.add(nameOf(entry));
  }
}

function signalAll(entries: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  for (const entry of entries) {
    try {
      process.kill(entry.pid, signal);
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  }
}
