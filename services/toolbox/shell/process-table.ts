import { readdirSync, readFileSync } from 'node:fs';

/** One process as /proc shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** Clock ticks since boot; with the pid it names a process for ever. */
  readonly startTicks: number;
  readonly name: string;
}

/** Process ids that exist now; much cheaper than listProcesses. */
export function listPids(): number[] {
  return readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Processes that live now; zombies and kernel threads without a group are left out. */
export function listProcesses(): ProcessEntry[] {
  return listPids().flatMap(pid => {
    const entry = readProcess(pid);
    return entry === undefined ? [] : [entry];
  });
}

/** A living process; undefined once it has ended. */
export function readProcess(pid: number): ProcessEntry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  return parseStat(stat);
}

/** Reads a line of /proc/PID/stat; undefined for a zombie. The name may hold spaces and parentheses. */
export function parseStat(stat: string): ProcessEntry | undefined {
  const nameStart = stat.indexOf('(');
  const nameEnd = stat.lastIndexOf(')');
  const fields = stat.slice(nameEnd + 2).split(' ');
  const state = fields[0];
  if (state === 'Z' || state === 'X') return undefined;
  return {
    pid: Number(stat.slice(0, nameStart - 1)),
    name: stat.slice(nameStart + 1, nameEnd),
    parentPid: Number(fields[1]),
    groupId: Number(fields[2]),
    sessionId: Number(fields[3]),
    startTicks: Number(fields[19]),
  };
}
