import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Position of the start time after the command's closing bracket in /proc/PID/stat (proc(5): field 22). */
const START_TIME_INDEX = 19;

/**
 * When a process started, in a form that only compares: with its pid it names one process for ever, so that a pid
 * used again by another program is never taken for it. Undefined when no such process runs; a zombie does not run.
 *
 * @param {number} pid
 * @returns {string | undefined}
 */
export function processStart(pid) {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/** @param {number} pid */
function startFromProc(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId}:${fields[START_TIME_INDEX]}`;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function startFromPs(pid) {
  const result = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const text = result.status === 0 ? result.stdout.trim() : '';
  return text === '' ? undefined : text;
}
