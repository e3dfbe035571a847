import type { OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';

/** A piece of output where it lies in its stream. */
export interface RingChunk {
  readonly stream: OutputStream;
  /** Position of the first byte in that stream, from 0. */
  readonly offset: number;
  readonly data: Uint8Array;
}

/** Largest piece that goes into one message. */
const MAX_CHUNK_BYTES = 64 * 1024;
/** What a piece is charged besides its bytes, so that a million one-byte pieces stay bounded too. */
const CHUNK_OVERHEAD_BYTES = 256;

/** The newest output of one call in the order it came, bounded in memory: the oldest pieces fall out. */
export class OutputRing {
  readonly #limitBytes: number;
  readonly #chunks: RingChunk[] = [];
  readonly #written = new Map<OutputStream, number>();
  #dropped = 0;
  #head = 0;
  #heldBytes = 0;
  #totalBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Bytes written in all, over both streams. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Memory that the kept pieces take. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  append(stream: OutputStream, data: Uint8Array): void {
    for (let start = 0; start < data.length; start += MAX_CHUNK_BYTES) {
      this.#push(stream, data.subarray(start, start + MAX_CHUNK_BYTES));
    }
    while (this.#heldBytes > this.#limitBytes) this.#dropOldest();
  }

  /** The piece with this number, or the oldest one that is left; undefined when there is none yet. */
  read(sequence: number): { readonly chunk: RingChunk; readonly next: number } | undefined {
    const index = Math.max(sequence - this.#dropped, 0);
    const chunk = this.#chunks[this.#head + index];
    return chunk === undefined ? undefined : { chunk, next: this.#dropped + index + 1 };
  }

  /** Forgets the pieces; later reads find nothing. */
  clear(): void {
    while (this.#heldBytes > 0) this.#dropOldest();
  }

  #push(stream: OutputStream, data: Uint8Array): void {
    const offset = this.#written.get(stream) ?? 0;
    this.#written.set(stream, offset + data.length);
    this.#chunks.push({ stream, offset, data });
    this.#heldBytes += data.length + CHUNK_OVERHEAD_BYTES;
    this.#totalBytes += data.length;
  }

  #dropOldest(): void {
    const oldest = this.#chunks[this.#head];
    if (oldest === undefined) return;
    this.#head += 1;
    this.#dropped += 1;
    this.#heldBytes -= oldest.data.length + CHUNK_OVERHEAD_BYTES;
    if (this.#head >= 1024 || this.#head === this.#chunks.length) {
      this.#chunks.splice(0, this.#head);
      this.#head = 0;
    }
  }
}
