import type { Ripgrep, RipgrepEnd } from '#toolbox/search/ripgrep.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';

/** What is searched for, and where. */
export interface ContentSearch {
  /** Real path of the folder that is entered; paths in the result are relative to it. */
  readonly directory: string;
  /** Files to search; undefined for all below the folder. */
  readonly files: readonly string[] | undefined;
  readonly pattern: string;
  readonly contextLines: number;
  readonly ignoreCase: boolean;
  /** Also what .gitignore excludes and what starts with a dot. */
  readonly everything?: boolean;
  readonly signal: AbortSignal;
}

/** One line of a file, or a gap between two groups of lines. */
export type FoundLine =
  | {
      readonly kind: 'LINE';
      readonly path: string;
      readonly number: number;
      readonly isMatch: boolean;
      readonly text: string;
    }
  | { readonly kind: 'GAP' }
  | { readonly kind: 'BINARY'; readonly text: string };

const LF = 0x0a;
const NUL = 0;
/** Bytes of a line that are shown; the rest is left out with a mark. */
const LINE_LIMIT_BYTES = 500;
/** Bytes of file names one run is given; well below what the kernel takes. */
const ARGS_LIMIT_BYTES = 100_000;

/** Searches file contents; answers what could not be searched. `onLine` answers false to end the search. */
export async function searchContents(
  ripgrep: Ripgrep,
  search: ContentSearch,
  onLine: (line: FoundLine) => boolean,
): Promise<string> {
  let problems = '';
  let goesOn = true;
  for (const files of batches(search.files)) {
    if (!goesOn) break;
    const end = await ripgrep({
      directory: search.directory,
      args: [...argsOf(search), '-e', search.pattern, '--', ...files],
      separator: LF,
      onRecord: record => {
        goesOn = onLine(parseLine(record));
        return goesOn;
      },
      signal: search.signal,
    });
    problems += problemsOf(end);
  }
  return problems;
}

function argsOf(search: ContentSearch): string[] {
  return [
    '--null',
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--color=never',
    '--sort=path',
    '--engine=auto',
    `--max-columns=${LINE_LIMIT_BYTES}`,
    '--max-columns-preview',
    `--context=${search.contextLines}`,
    ...(search.ignoreCase ? ['--ignore-case'] : []),
    ...(search.everything === true ? ['--hidden', '--no-ignore', '--glob', '!**/.git/**'] : []),
  ];
}

function* batches(files: readonly string[] | undefined): Generator<readonly string[]> {
  if (files === undefined) {
    yield ['.'];
    return;
  }
  let batch: string[] = [];
  let bytes = 0;
  for (const file of files) {
    if (bytes + file.length > ARGS_LIMIT_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += Buffer.byteLength(file) + 1;
  }
  if (batch.length > 0) yield batch;
}

/** A record is `path NUL number : text`, with `-` instead of `:` for lines around a match. */
function parseLine(record: Buffer): FoundLine {
  const nul = record.indexOf(NUL);
  if (nul === -1) {
    const text = record.toString();
    return text === '--' ? { kind: 'GAP' } : { kind: 'BINARY', text };
  }
  const path = record.toString('utf8', 0, nul).replace(/^\.\//, '');
  const rest = record.toString('utf8', nul + 1);
  const parts = /^(\d+)([:-])(.*)$/s.exec(rest);
  if (parts === null) return { kind: 'BINARY', text: `${path}: ${rest}` };
  const text = (parts[3] ?? '').replace(/\r$/, '');
  return { kind: 'LINE', path, number: Number(parts[1]), isMatch: parts[2] === ':', text };
}

/** Files that could not be searched are no reason to lose the rest; a pattern that cannot be parsed is. */
function problemsOf(end: RipgrepEnd): string {
  if (end.exitCode !== 2) return '';
  const lines = end.messages.split('\n').filter(line => line !== '');
  if (lines.every(line => /\(os error \d+\)$/.test(line))) return `${lines.join('\n')}\n`;
  throw new ToolFailure(`The search failed:\n${end.messages.trim()}`);
}
