import { OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { ModelText } from '#kit/model-text.ts';

/** How much of a call's output the model gets to see. */
export interface OutputCaptureLimits {
  readonly headChars: number;
  readonly tailChars: number;
}

const DEFAULT_LIMITS: OutputCaptureLimits = { headChars: 12_000, tailChars: 20_000 };
/** End of standard error that is never left out; it is where commands say why they failed. */
const ERROR_TAIL_CHARS = 4_000;

/** Output of a call as the model will read it. */
export interface CapturedOutput {
  /** Head and tail, with a mark between them where something was left out. */
  readonly text: string;
  /** Raw bytes in all. */
  readonly totalBytes: number;
  /** Bytes of the reduced text that were left out; 0 when nothing was. */
  readonly omittedBytes: number;
}

/** Keeps head and tail of a call's output as text, in the order its lines came, whatever is printed. */
export class OutputCapture {
  readonly #limits: OutputCaptureLimits;
  readonly #streams = new Map<OutputStream, StreamText>();
  #head = '';
  #tail = '';
  #errorTail = '';
  #isHeadFull = false;
  #isCut = false;
  #totalBytes = 0;

  constructor(limits: OutputCaptureLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  write(stream: OutputStream, data: Uint8Array): void {
    this.#totalBytes += data.length;
    let text = this.#streams.get(stream);
    if (text === undefined) {
      text = new StreamText();
      this.#streams.set(stream, text);
    }
    this.#addFrom(stream, text.write(data));
  }

  /** Ends both streams; nothing may be written afterwards. */
  finish(): CapturedOutput {
    for (const stream of [OutputStream.STDOUT, OutputStream.STDERR]) {
      this.#addFrom(stream, this.#streams.get(stream)?.end() ?? '');
    }
    this.#trimTail(this.#limits.tailChars);
    if (!this.#isCut) return { text: this.#head + this.#tail, totalBytes: this.#totalBytes, omittedBytes: 0 };
    const head = this.#head.slice(0, this.#head.lastIndexOf('\n') + 1) || this.#head;
    const tail = this.#tail.slice(this.#tail.indexOf('\n') + 1) || this.#tail;
    const omittedBytes = Math.max(this.#totalBytes - Buffer.byteLength(head) - Buffer.byteLength(tail), 0);
    const mark = `[… ${omittedBytes} of ${this.#totalBytes} bytes omitted here …]`;
    const text = [head, mark, tail, ...this.#missingErrors(tail)]
      .map(part => part.replace(/\n$/, ''))
      .join('\n');
    return { text: `${text}\n`, totalBytes: this.#totalBytes, omittedBytes };
  }

  /** The streams arrive on their own, so errors written last may have come before output that filled the tail. */
  #missingErrors(tail: string): string[] {
    const lines = this.#errorTail.trimEnd().split('\n');
    const last = lines.at(-1) ?? '';
    return last === '' || tail.includes(last) ? [] : ['[Standard error ended with:]', lines.join('\n')];
  }

  #addFrom(stream: OutputStream, text: string): void {
    if (stream === OutputStream.STDERR && text !== '') {
      const errors = this.#errorTail + text;
      this.#errorTail = errors.slice(wholeCut(errors, Math.max(errors.length - ERROR_TAIL_CHARS, 0)));
    }
    this.#add(text);
  }

  #add(text: string): void {
    if (text === '') return;
    const room = this.#limits.headChars - this.#head.length;
    if (this.#isHeadFull || text.length > room) {
      const taken = this.#isHeadFull ? 0 : wholeCut(text, room);
      this.#isHeadFull = true;
      this.#head += text.slice(0, taken);
      this.#tail += text.slice(taken);
      if (this.#tail.length > this.#limits.tailChars * 2) this.#trimTail(this.#limits.tailChars);
    } else {
      this.#head += text;
    }
  }

  #trimTail(limit: number): void {
    if (this.#tail.length <= limit) return;
    this.#tail = this.#tail.slice(wholeCut(this.#tail, this.#tail.length - limit));
    this.#isCut = true;
  }
}

/** One stream's bytes as text: characters are never split, redrawn lines are reduced. */
class StreamText {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #text = new ModelText();

  write(data: Uint8Array): string {
    return this.#text.write(this.#decoder.decode(data, { stream: true }));
  }

  end(): string {
    return this.#text.write(this.#decoder.decode()) + this.#text.end();
  }
}

/** The position at or before `index` that splits no surrogate pair. */
function wholeCut(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
