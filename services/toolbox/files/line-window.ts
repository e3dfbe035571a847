import { isUtf8 } from 'node:buffer';

/** A line of a file, without its line end. */
export interface WindowLine {
  readonly number: number;
  readonly text: string;
}

/** Which lines are wanted, and how much of them. */
export interface LineWindowOptions {
  /** First line, from 1. */
  readonly first: number;
  readonly count: number;
  /** Bytes of one line that are kept. */
  readonly lineLimitBytes: number;
  /** Bytes of all lines together; the window ends before a line that exceeds them. */
  readonly limitBytes: number;
}

const LF = 0x0a;
const CR = 0x0d;

/** Picks lines out of a file that is fed in pieces, numbers them by `\n` only, and counts the rest. */
export class LineWindow {
  readonly lines: WindowLine[] = [];
  readonly #options: LineWindowOptions;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #lineBytes = 0;
  #usedBytes = 0;
  #lineCount = 0;
  #isFull = false;
  #sawInvalid = false;

  constructor(options: LineWindowOptions) {
    this.#options = options;
  }

  /** Lines that have ended so far; after `end`, all lines. */
  get lineCount(): number {
    return this.#lineCount;
  }

  /** True once no further line can enter the window. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** True when a line of the window is not valid UTF-8; its broken bytes show as U+FFFD. */
  get sawInvalid(): boolean {
    return this.#sawInvalid;
  }

  feed(piece: Buffer): void {
    let start = 0;
    for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, start)) {
      this.#keep(piece.subarray(start, at));
      this.#endLine();
      start = at + 1;
    }
    this.#keep(piece.subarray(start));
  }

  /** Takes what follows the last line end as a line, if there is anything. */
  end(): void {
    if (this.#lineBytes > 0) this.#endLine();
  }

  #isWanted(): boolean {
    return !this.#isFull && this.#lineCount + 1 >= this.#options.first;
  }

  #keep(part: Buffer): void {
    this.#lineBytes += part.length;
    const room = this.#options.lineLimitBytes - this.#keptBytes;
    if (part.length === 0 || room <= 0 || !this.#isWanted()) return;
    const kept = Buffer.from(part.subarray(0, room));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }

  #endLine(): void {
    if (this.#isWanted()) this.#addLine();
    this.#lineCount += 1;
    this.#kept = [];
    this.#keptBytes = 0;
    this.#lineBytes = 0;
    if (this.lines.length >= this.#options.count) this.#isFull = true;
  }

  #addLine(): void {
    const bytes = Buffer.concat(this.#kept);
    this.#usedBytes += bytes.length;
    if (this.#usedBytes > this.#options.limitBytes && this.lines.length > 0) {
      this.#isFull = true;
      return;
    }
    this.lines.push({ number: this.#lineCount + 1, text: this.#textOf(bytes) });
  }

  #textOf(bytes: Buffer): string {
    const omitted = this.#lineBytes - bytes.length;
    if (omitted > 0) {
      const start = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
      return `${start} [line cut: ${omitted} of ${this.#lineBytes} bytes left out]`;
    }
    this.#sawInvalid ||= !isUtf8(bytes);
    return this.#decoder.decode(bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes);
  }
}
