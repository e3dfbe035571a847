import type { Socket } from 'node:net';
import { OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { type CapturedOutput, OutputCapture } from '#kit/output-capture.ts';
import type { Shell } from '#toolbox/shell/shell.ts';

/** Silence after which output of a background process is no longer waited for, once the shell has ended. */
const QUIET_MS = 40;
/** Longest wait for output after the shell has ended. */
const DRAIN_LIMIT_MS = 300;
/** The same while readers of the call hold the output up. */
const HELD_UP_LIMIT_MS = 5_000;
/** Follows both outputs of a shell: to the stream of the call as they come, and to what the model will read. */
export class OutputFollower {
  readonly #capture = new OutputCapture();
  readonly #ended: Promise<unknown>;
  #open = 2;
  #paused = 0;
  #isFinished = false;
  #lastDataMs = performance.now();

  constructor(shell: Shell, run: CallRun) {
    this.#ended = Promise.all([
      this.#follow(shell.stdout, OutputStream.STDOUT, run),
      this.#follow(shell.stderr, OutputStream.STDERR, run),
    ]);
  }

  /** True while some process still holds a pipe. */
  get isHeldOpen(): boolean {
    return this.#open > 0;
  }

  /** Resolves when both outputs have ended or, with a process in the background holding them, have gone quiet. */
  async drained(isPatient: boolean): Promise<void> {
    const limitMs = isPatient ? DRAIN_LIMIT_MS : QUIET_MS;
    const startMs = performance.now();
    while (this.isHeldOpen) {
      const nowMs = performance.now();
      if (this.#paused > 0 && nowMs - startMs < HELD_UP_LIMIT_MS) this.#lastDataMs = nowMs;
      else if (nowMs - Math.max(this.#lastDataMs, startMs) >= QUIET_MS || nowMs - startMs >= limitMs) return;
      await withinTimeOf(this.#ended, 10);
    }
  }

  /** Takes no more; what background processes write later is read and dropped, so that they do not fail. */
  finish(): CapturedOutput {
    this.#isFinished = true;
    return this.#capture.finish();
  }

  #follow(socket: Socket, stream: OutputStream, run: CallRun): Promise<void> {
    socket.on('data', (data: Buffer) => {
      if (this.#isFinished) return;
      this.#lastDataMs = performance.now();
      this.#capture.write(stream, data);
      const caughtUp = run.output(stream, data);
      if (caughtUp === undefined) return;
      socket.pause();
      this.#paused += 1;
      void caughtUp.then(() => {
        this.#paused -= 1;
        socket.resume();
      });
    });
    return new Promise(resolve => {
      const done = (): void => {
        this.#open -= 1;
        resolve();
      };
      socket.once('close', done);
      socket.once('error', () => socket.destroy());
    });
  }
}

/** Waits for the promise, but no longer than `ms`. */
export function withinTimeOf(ended: Promise<unknown>, ms: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    void ended.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
