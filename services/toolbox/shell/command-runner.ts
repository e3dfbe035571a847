import { CallCancelled } from '#kit/call-cancelled.ts';
import type { CallRun } from '#kit/durable-call.ts';
import type { CapturedOutput } from '#kit/output-capture.ts';
import { everythingSince, familyOf } from '#toolbox/shell/call-processes.ts';
import { MemoryKills } from '#toolbox/shell/memory-kills.ts';
import { OutputFollower, withinTimeOf } from '#toolbox/shell/output-follower.ts';
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

/** Longest wait for the exit of a shell that was killed. */
const KILLED_EXIT_LIMIT_MS = 1_000;

/** Runs commands one after the other, each in a shell that was started ahead. */
export class CommandRunner implements AsyncDisposable {
  readonly #options: CommandRunnerOptions;
  readonly #memoryKills = new MemoryKills();
  #spare: Promise<Shell> | undefined;
  #turn: Promise<void> = Promise.resolve();
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
  async run(script: string, timeoutMs: number, run: CallRun, check: () => void): Promise<CommandEnd> {
    const before = this.#turn;
    const { promise: over, resolve: endTurn } = Promise.withResolvers<void>();
    this.#turn = before.then(() => over);
    try {
      await unlessAborted(before, run.signal);
      check();
      return await this.#runNow(script, timeoutMs, run);
    } finally {
      endTurn();
    }
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
      if (stopped !== undefined) await withinTimeOf(shell.exited, KILLED_EXIT_LIMIT_MS);
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
    // Asked after every command, so that a kill is never counted against a later one.
    const hadKills = this.#memoryKills.sinceLastTime();
    const isSuspect = exit?.kind === 'SIGNALED' ? exit.signal === 'SIGKILL' : exit?.exitCode !== 0;
    return hadKills && isSuspect;
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

/** Waits for the promise; rejects with the signal's reason as soon as it aborts. */
async function unlessAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  await Promise.race([promise, aborted]);
  signal.removeEventListener('abort', onAbort);
  signal.throwIfAborted();
}
