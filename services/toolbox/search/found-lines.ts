import type { FoundLine } from '#toolbox/search/search-contents.ts';

/** Text that is shown; what follows is only counted. */
const TEXT_LIMIT_BYTES = 48 * 1024;
const LINE_LIMIT = 1000;
/** Matches after which counting ends. */
const COUNT_LIMIT = 1_000_000;

/** Collects the lines of a search as text, bounded, and counts all matches. */
export class FoundLines {
  readonly #display: (path: string) => string;
  readonly #lines: string[] = [];
  #bytes = 0;
  #shownMatches = 0;
  #matchCount = 0;
  #lastPath = '';
  #lastDisplayed = '';

  /** `display` turns a path of the search into one the reader can use. */
  constructor(display: (path: string) => string) {
    this.#display = display;
  }

  get matchCount(): number {
    return this.#matchCount;
  }

  /** Answers false once there is no point in going on. */
  add(line: FoundLine): boolean {
    const isMatch = line.kind === 'BINARY' || (line.kind === 'LINE' && line.isMatch);
    if (isMatch) this.#matchCount += 1;
    if (this.#bytes < TEXT_LIMIT_BYTES && this.#lines.length < LINE_LIMIT) {
      const text = this.#format(line);
      this.#lines.push(text);
      this.#bytes += Buffer.byteLength(text) + 1;
      if (isMatch) this.#shownMatches += 1;
    }
    return this.#matchCount < COUNT_LIMIT;
  }

  text(): string {
    const left = this.#matchCount - this.#shownMatches;
    if (left === 0) return this.#lines.join('\n');
    const all = this.#matchCount >= COUNT_LIMIT ? `${COUNT_LIMIT} or more` : `${this.#matchCount}`;
    const note = `[The first ${this.#shownMatches} of ${all} matching lines are shown. Narrow the search to see more.]`;
    return [...this.#lines, note].join('\n');
  }

  #format(line: FoundLine): string {
    if (line.kind === 'GAP') return '--';
    if (line.kind === 'BINARY') return line.text;
    if (line.path !== this.#lastPath) {
      this.#lastPath = line.path;
      this.#lastDisplayed = this.#display(line.path);
    }
    const mark = line.isMatch ? ':' : '-';
    return `${this.#lastDisplayed}${mark}${line.number}${mark}${line.text}`;
  }
}
