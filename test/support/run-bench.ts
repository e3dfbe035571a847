import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** One row of the table that `npm run bench` prints. */
export interface BenchRow {
  readonly what: string;
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p50Ratio: number;
  readonly p99Ratio: number;
}

const HEADER = '| what | calls | p50 ms | p99 ms | p50 ratio | p99 ratio |';

/** Runs the benchmarks as `npm run bench` does and reads its table; throws where it is not well formed. */
export async function runBench(args: readonly string[]): Promise<BenchRow[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/main.ts', ...args]);
  const [machine, empty, header, , ...rows] = stdout.trimEnd().split('\n');
  if (!/, Node v\d/.test(machine ?? '') || empty !== '' || header !== HEADER) {
    throw new Error(`no table of the benchmarks:\n${stdout}`);
  }
  return rows.map(readRow);
}

function readRow(line: string): BenchRow {
  const [what = '', ...texts] = line.slice(2, -2).split(' | ');
  const [calls = 0, p50Ms = 0, p99Ms = 0, p50Ratio = 0, p99Ratio = 0] = texts.map(Number);
  const numbers = [calls, p50Ms, p99Ms, p50Ratio, p99Ratio];
  if (texts.length !== 5 || !numbers.every(number => number > 0)) throw new Error(`no row: ${line}`);
  return { what, calls, p50Ms, p99Ms, p50Ratio, p99Ratio };
}
