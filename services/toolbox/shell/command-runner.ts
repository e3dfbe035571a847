import type { Socket } from 'node:net';
import { OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { CallCancelled } from '#kit/call-cancelled.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { type CapturedOutput, OutputCapture } from '#kit/output-capture.ts';
import { everythingSince, familyOf } from '#toolbox/shell/call-processes.ts';
import { MemoryKills } from '#toolbox/shell/memory-kills.ts';
import type { ProcessEntry } from '#toolbox/shell/process-table.ts';
import {
  type DirectoryReport,
  type Shell,
  type ShellExit,
  type ShellOptions,
  startShell,
} from '#toolbox/shell/shell.ts';
import type { Workspace } from '#toolbox/workspace.ts';

/** How a command ended. */
export interface CommandEnd {
  readonly output: CapturedOutput;
  /** Undefined when not even KILL ended the shell. */
  readonly exit: ShellExit | undefined;
  /** Set when the command was ended from outside. */
  readonly stopped: CallCancelled | undefined;
  /** Processes of the call that still live. */
  readonly remaining: readonly ProcessEntry[];
  readonly wasOutOfMemory: boolean;
  /** What the reader should know first, for example that the working directory was gone. */
  readonly notes: readonly string[];
}

/** What a command runner works with. */
export interface CommandRunnerOptions extends ShellOptions {
  readonly workspace: Workspace;
  /** True in a sandbox of its own, where every new process belongs to the call. */
  readonly ownsAllProcesses: boolean;
}

/** Silence after which output of a background process is no longer waited for, once the shell has ended. */
const QUIET_MS = 40;
/** Longest wait for output after the shell has ended. */
const DRAIN_LIMIT_MS = 300;
/** The same while readers of the call hold the output up. */
const HELD_UP_LIMIT_MS = 5_000;
/** Longest wait for the exit of a shell that was killed. */
const KILLED_EXIT_LIMIT_MS = 1_000;

/** Runs commands one after the other, each in a shell that was started ahead. */
export class CommandRunner implements AsyncDisposable {
  readonly #options: CommandRunnerOptions;
  readonly #memoryKills = new MemoryKills();
  #spare: Promise<Shell> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
  }

  /** Starts the first shell ahead of the first command. */
  async prepare(): Promise<void> {
    this.#spare ??= startShell(this.#options);
    await this.#spare;
  }

  /**
   * Waits for its turn and runs a script for at most `timeoutMs`. `check` runs right before and stops it by throwing.
   * Rejects with a ToolFailure when no shell can be started, and with a CallCancelled when it was cancelled before.
   */
  run(script: string, timeoutMs: number, run: CallRun, check: () => void): Promise<CommandEnd> {
    const end = this.#turn.then(async () => {
      run.signal.throwIfAborted();
      check();
      return this.#runNow(script, timeoutMs, run);
    });
    this.#turn = end.catch(() => undefined);
    return end;
  }

  /** Ends the shell that waits; running commands are cancelled by their calls. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    const spare = await this.#spare?.catch(() => undefined);
    if (spare !== undefined && !spare.hasExited()) process.kill(spare.pid, 'SIGKILL');
  }

  async #runNow(script: string, timeoutMs: number, run: CallRun): Promise<CommandEnd> {
    const { workspace, ownProcesses, ownsAllProcesses } = this.#options;
    const shell = await this.#takeShell();
    const processes = ownsAllProcesses
      ? everythingSince(shell.pid, ownProcesses)
      : familyOf(shell.pid, ownProcesses);
    const output = new OutputFollower(shell, run);
    const deadline = stopAfter(timeoutMs, run.signal);
    try {
      shell.run({ directory: workspace.workingDirectory, root: workspace.root }, script);
      const stopped = await Promise.race([shell.exited.then(() => undefined), deadline.stopped]);
      const left = stopped === undefined ? undefined : await processes.killAll();
      if (stopped !== undefined) await raced(shell.exited, KILLED_EXIT_LIMIT_MS);
      await output.drained(stopped === undefined);
      const exit = shell.hasExited() ? await shell.exited : undefined;
      const notes = this.#followDirectory(shell.finish());
      const remaining = left ?? (ownsAllProcesses || output.isHeldOpen ? processes.list() : []);
      return {
        output: output.finish(),
        exit,
        stopped,
        remaining,
        notes,
        wasOutOfMemory: this.#wasOutOfMemory(exit),
      };
    } finally {
      deadline.clear();
      setImmediate(() => this.#startSpare());
    }
  }

  #followDirectory({ wasLost, final }: DirectoryReport): string[] {
    const { workspace } = this.#options;
    const before = workspace.workingDirectory;
    if (wasLost) workspace.moveTo(workspace.root);
    if (final !== undefined) workspace.moveTo(final);
    return wasLost ? [`The working directory ${before} is gone; this ran in ${workspace.root}`] : [];
  }

  async #takeShell(): Promise<Shell> {
    const spare = await this.#spare?.catch(() => undefined);
    this.#spare = undefined;
    return spare === undefined || spare.hasExited() ? startShell(this.#options) : spare;
  }

  #startSpare(): void {
    if (this.#isClosed || this.#spare !== undefined) return;
    this.#spare = startShell(this.#options);
    this.#spare.catch(() => undefined);
  }

  #wasOutOfMemory(exit: ShellExit | undefined): boolean {
    if (!this.#options.ownsAllProcesses) return false;
    const isSuspect = exit?.kind === 'SIGNALED' ? exit.signal === 'SIGKILL' : exit?.exitCode !== 0;
    return isSuspect && this.#memoryKills.sinceLastTime();
  }
}

/** Follows both outputs of a shell: to the stream of the call as they come, and to what the model will read. */
class OutputFollower {
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
      await raced(this.#ended, 10);
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

/** Resolves with the reason to stop: the time is over, or the call was cancelled. */
function stopAfter(timeoutMs: number, signal: AbortSignal) {
  const { promise: stopped, resolve } = Promise.withResolvers<CallCancelled>();
  const onAbort = (): void => {
    const reason: unknown = signal.reason;
    resolve(reason instanceof CallCancelled ? reason : new CallCancelled('REQUESTED', 'cancelled'));
  };
  const timer = setTimeout(
    () => resolve(new CallCancelled('TIME_OVER', `the command took longer than ${timeoutMs} ms`)),
    timeoutMs,
  );
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    stopped,
    clear: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

function raced(ended: Promise<unknown>, ms: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    void ended.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
