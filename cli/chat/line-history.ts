import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Lines that are kept; the file is cut to them when it has grown to twice as many. */
const KEPT_LINES = 1_000;
const OWNER_ONLY = 0o600;

/** The lines a person typed, kept in a file that only its owner can read. */
export interface LineHistory {
  /** Newest first, as readline takes them. */
  readonly lines: readonly string[];
  /** Keeps a line, unless it begins with a space, is empty, or repeats the one before. */
  add(line: string): void;
}

/**
 * Opens the history in a file. A file that cannot be read or written only costs the history: `onProblem` is told once,
 * in one sentence.
 */
export function openLineHistory(path: string, onProblem: (problem: string) => void): LineHistory {
  const lines: string[] = [];
  let isBroken = false;
  const attempt = (work: () => void): void => {
    if (isBroken) return;
    try {
      work();
    } catch (error) {
      isBroken = true;
      const problem = error instanceof Error ? error.message : String(error);
      onProblem(`What is typed is not kept, ${path} cannot be used: ${problem}`);
    }
  };
  attempt(() => lines.push(...readLines(path)));
  return {
    lines,
    add: line => {
      if (line.startsWith(' ') || line === '' || line === lines[0]) return;
      lines.unshift(line);
      attempt(() => appendFileSync(path, `${line}\n`, { mode: OWNER_ONLY }));
    },
  };
}

function readLines(path: string): string[] {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return [];
  }
  chmodSync(path, OWNER_ONLY);
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '');
  const kept = lines.slice(-KEPT_LINES);
  if (lines.length > 2 * KEPT_LINES) writeFileSync(path, `${kept.join('\n')}\n`, { mode: OWNER_ONLY });
  return kept.reverse();
}
