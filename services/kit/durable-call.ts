import { create } from '@bufbuild/protobuf';
import {
  type AttachPoint,
  type ExecuteResponse,
  ExecuteResponseSchema,
} from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { ToolCall } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { OutputStream, type Progress, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { CallCancelled, type CancelCause } from '#kit/call-cancelled.ts';
import { OutputRing, type RingChunk } from '#kit/output-ring.ts';

/** What a running call may do: write output, report progress, and notice that it was cancelled. */
export interface CallRun {
  readonly call: ToolCall;
  /** Aborted with a CallCancelled. */
  readonly signal: AbortSignal;
  /**
   * Adds raw output. The promise, where there is one, resolves once the readers have caught up: a producer that can
   * wait should wait for it. Without readers nothing waits, and the oldest bytes fall out.
   */
  output(stream: OutputStream, data: Uint8Array): Promise<void> | undefined;
  progress(progress: Progress): void;
  /** The newest output, as much as is kept, in the order it came. */
  recentOutput(): Iterable<RingChunk>;
}

/** Limits of one call; times in milliseconds. */
export interface DurableCallLimits {
  /** Output kept for readers that come back. */
  readonly ringBytes: number;
  /** How long the call goes on after its last reader left. */
  readonly leaseMs: number;
  /** Silence after which a reader gets a KeepAlive. */
  readonly keepAliveMs: number;
  /** How long a reader that takes nothing can hold the call up before bytes are dropped for it. */
  readonly stallMs: number;
}

/** Unread bytes above which the producer is asked to wait. */
const HIGH_WATER_BYTES = 256 * 1024;

/** Where a reader begins. */
export interface FollowFrom {
  /** True when the run was there before this reader asked. */
  readonly attached: boolean;
  readonly point: AttachPoint | undefined;
}

interface Reader {
  sequence: number;
  /** OutputRing.totalBytes up to which this reader has come. */
  position: number;
  wake: () => void;
}

/** One run of one call: its output, its result, and whoever reads them. Outlives its readers. */
export class DurableCall implements CallRun {
  readonly call: ToolCall;
  readonly #limits: DurableCallLimits;
  readonly #ring: OutputRing;
  readonly #controller = new AbortController();
  readonly #readers = new Set<Reader>();
  readonly #finished = Promise.withResolvers<ToolResult>();
  #result: ToolResult | undefined;
  #progress: Progress | undefined;
  #lease: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(call: ToolCall, limits: DurableCallLimits) {
    this.call = call;
    this.#limits = limits;
    this.#ring = new OutputRing(limits.ringBytes);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isRunning(): boolean {
    return this.#result === undefined;
  }

  /** Memory that the kept output takes. */
  get heldBytes(): number {
    return this.#ring.heldBytes;
  }

  /** Resolves with the result; never rejects. */
  get finished(): Promise<ToolResult> {
    return this.#finished.promise;
  }

  output(stream: OutputStream, data: Uint8Array): Promise<void> | undefined {
    this.#ring.append(stream, data);
    this.#wakeReaders();
    return this.#isBehind() ? this.#readersCaughtUp() : undefined;
  }

  progress(progress: Progress): void {
    this.#progress = progress;
    this.#wakeReaders();
  }

  *recentOutput(): Generator<RingChunk> {
    for (let found = this.#ring.read(0); found !== undefined; found = this.#ring.read(found.next)) {
      yield found.chunk;
    }
  }

  /** Aborts the run; its result still comes when it has ended. */
  cancel(cause: CancelCause, message: string): void {
    if (this.isRunning) this.#controller.abort(new CallCancelled(cause, message));
  }

  finish(result: ToolResult): void {
    this.#result = result;
    clearTimeout(this.#lease);
    this.#finished.resolve(result);
    this.#wakeReaders();
  }

  /** Frees the kept output; the result stays. */
  forgetOutput(): void {
    this.#ring.clear();
  }

  /** Accepted, what happens from a point on, then live, then exactly one result. Ends silently with `signal`. */
  async *follow(from: FollowFrom, signal: AbortSignal): AsyncGenerator<ExecuteResponse> {
    const reader: Reader = { sequence: 0, position: 0, wake: () => undefined };
    const wanted = startOffsets(from.point);
    let seenProgress: Progress | undefined;
    this.#attach(reader);
    try {
      yield create(ExecuteResponseSchema, {
        message: { case: 'accepted', value: { attached: from.attached } },
      });
      while (!signal.aborted) {
        const piece = this.#nextPiece(reader, wanted);
        if (piece !== undefined) {
          yield piece;
        } else if (this.#progress !== seenProgress && this.#progress !== undefined) {
          seenProgress = this.#progress;
          yield create(ExecuteResponseSchema, { message: { case: 'progress', value: seenProgress } });
        } else if (this.#result !== undefined) {
          yield create(ExecuteResponseSchema, { message: { case: 'result', value: this.#result } });
          return;
        } else if ((await this.#waitForNews(reader, signal)) === 'SILENT') {
          yield create(ExecuteResponseSchema, { message: { case: 'keepAlive', value: {} } });
        }
      }
    } finally {
      this.#detach(reader);
    }
  }

  #nextPiece(reader: Reader, wanted: ReadonlyMap<OutputStream, number>): ExecuteResponse | undefined {
    for (;;) {
      const found = this.#ring.read(reader.sequence);
      if (found === undefined) {
        this.#advance(reader, this.#ring.totalBytes);
        return undefined;
      }
      const { chunk, next } = found;
      reader.sequence = next;
      this.#advance(reader, reader.position + chunk.data.length);
      const skip = Math.max((wanted.get(chunk.stream) ?? 0) - chunk.offset, 0);
      if (skip >= chunk.data.length) continue;
      return create(ExecuteResponseSchema, {
        message: {
          case: 'output',
          value: {
            stream: chunk.stream,
            offset: BigInt(chunk.offset + skip),
            data: skip === 0 ? chunk.data : chunk.data.subarray(skip),
          },
        },
      });
    }
  }

  #waitForNews(reader: Reader, signal: AbortSignal): Promise<'NEWS' | 'SILENT'> {
    return new Promise(resolve => {
      const timer = setTimeout(() => done('SILENT'), this.#limits.keepAliveMs);
      const onAbort = (): void => done('NEWS');
      const done = (news: 'NEWS' | 'SILENT'): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        reader.wake = () => undefined;
        resolve(news);
      };
      reader.wake = onAbort;
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #attach(reader: Reader): void {
    clearTimeout(this.#lease);
    this.#readers.add(reader);
  }

  #detach(reader: Reader): void {
    this.#readers.delete(reader);
    this.#releaseProducer();
    if (this.#readers.size > 0 || !this.isRunning) return;
    const text = `nobody read the call for ${this.#limits.leaseMs} ms`;
    this.#lease = setTimeout(() => this.cancel('LEASE_OVER', text), this.#limits.leaseMs).unref();
  }

  #advance(reader: Reader, position: number): void {
    reader.position = position;
    if (this.#waiting.size > 0) this.#releaseProducer();
  }

  #isBehind(): boolean {
    for (const reader of this.#readers) {
      if (this.#ring.totalBytes - reader.position > HIGH_WATER_BYTES) return true;
    }
    return false;
  }

  #readersCaughtUp(): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, this.#limits.stallMs);
      this.signal.addEventListener('abort', done, { once: true });
      this.#waiting.add(done);
    });
  }

  #releaseProducer(): void {
    if (!this.#isBehind()) for (const release of this.#waiting) release();
  }

  #wakeReaders(): void {
    for (const reader of this.#readers) reader.wake();
  }
}

function startOffsets(point: AttachPoint | undefined): ReadonlyMap<OutputStream, number> {
  return new Map([
    [OutputStream.STDOUT, Number(point?.stdoutOffset ?? 0n)],
    [OutputStream.STDERR, Number(point?.stderrOffset ?? 0n)],
  ]);
}
