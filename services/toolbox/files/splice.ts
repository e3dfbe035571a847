/** Why an edit does not apply. */
export type SpliceFailure =
  | { readonly kind: 'NOT_FOUND' }
  | { readonly kind: 'AMBIGUOUS'; readonly lines: readonly number[]; readonly count: number };

/** The edited bytes, or why there are none. */
export type SpliceResult =
  | { readonly kind: 'SPLICED'; readonly bytes: Buffer; readonly lines: readonly number[] }
  | SpliceFailure;

/** One edit: texts with whatever line ends; `replaceAll` takes every match. */
export interface Splice {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Replaces `oldText` by `newText` and leaves every other byte alone. Matches are found on a view in which CRLF is LF;
 * what is written takes the line ends of what it replaces, or of the file where it replaces none.
 */
export function splice(bytes: Buffer, edit: Splice): SpliceResult {
  const view = normalisedView(bytes);
  const needle = Buffer.from(withLf(edit.oldText));
  const matches = findMatches(view.bytes, needle, !edit.replaceAll);
  if (matches.length === 0) return { kind: 'NOT_FOUND' };
  const lines = lineNumbers(view.bytes, matches);
  if (matches.length > 1 && !edit.replaceAll) return { kind: 'AMBIGUOUS', lines, count: matches.length };
  const replacement = withLf(edit.newText).split('\n');
  const pieces: Buffer[] = [];
  let kept = 0;
  for (const start of matches) {
    const from = view.originalOffset(start);
    const to = view.originalOffset(start + needle.length);
    pieces.push(bytes.subarray(kept, from), joined(replacement, lineEnds(bytes, from, to)));
    kept = to;
  }
  pieces.push(bytes.subarray(kept));
  return { kind: 'SPLICED', bytes: Buffer.concat(pieces), lines };
}

interface NormalisedView {
  readonly bytes: Buffer;
  /** Where a position of the view lies in the original; before a CRLF it lies before the CR. */
  originalOffset(viewOffset: number): number;
}

function normalisedView(original: Buffer): NormalisedView {
  if (!original.includes('\r\n')) return { bytes: original, originalOffset: offset => offset };
  const pieces: Buffer[] = [];
  const lineFeeds: number[] = [];
  let kept = 0;
  for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2)) {
    pieces.push(original.subarray(kept, at));
    lineFeeds.push(at - lineFeeds.length);
    kept = at + 1;
  }
  pieces.push(original.subarray(kept));
  return {
    bytes: Buffer.concat(pieces),
    originalOffset: offset => offset + countBelow(lineFeeds, offset),
  };
}

/** How many of the sorted numbers are smaller than `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Starts of the matches; overlapping ones count too where the match must be unique. */
function findMatches(bytes: Buffer, needle: Buffer, withOverlaps: boolean): number[] {
  const starts: number[] = [];
  const step = withOverlaps ? 1 : needle.length;
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + step)) starts.push(at);
  return starts;
}

function lineNumbers(bytes: Buffer, sortedOffsets: readonly number[]): number[] {
  let line = 1;
  let scanned = 0;
  return sortedOffsets.map(offset => {
    for (let at = bytes.indexOf(LF, scanned); at !== -1 && at < offset; at = bytes.indexOf(LF, scanned)) {
      line += 1;
      scanned = at + 1;
    }
    return line;
  });
}

/** Line ends in a part of the file, or the file's prevailing one where the part has none. */
function lineEnds(bytes: Buffer, from: number, to: number): readonly string[] {
  const found: string[] = [];
  for (let at = bytes.indexOf(LF, from); at !== -1 && at < to; at = bytes.indexOf(LF, at + 1)) {
    found.push(at > 0 && bytes[at - 1] === CR ? '\r\n' : '\n');
  }
  return found.length > 0 ? found : [prevailingLineEnd(bytes)];
}

function prevailingLineEnd(bytes: Buffer): string {
  let crlf = 0;
  let all = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    all += 1;
    if (at > 0 && bytes[at - 1] === CR) crlf += 1;
  }
  return crlf * 2 > all ? '\r\n' : '\n';
}

/** Lines joined by the given line ends, one by one; the last one repeats. */
function joined(lines: readonly string[], ends: readonly string[]): Buffer {
  const last = ends[ends.length - 1] ?? '\n';
  const text = lines
    .map((line, index) => (index === 0 ? line : `${ends[index - 1] ?? last}${line}`))
    .join('');
  return Buffer.from(text);
}

function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
