/** Where text goes; a terminal says so by isTTY. */
export type TextOutput = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Where a person types; a terminal can be told to hand out each key. */
export type TextInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
};

/** The world around a command; tests hand in their own. */
export interface CliIo {
  readonly stdin: TextInput;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: NodeJS.ProcessEnv;
  /** Folder that relative paths start from. */
  readonly workingFolder: string;
  /** Root of the project this command line belongs to. */
  readonly projectFolder: string;
  readonly interrupts: Interrupts;
}

/** What Ctrl-C does. */
export interface Interrupts {
  /** Aborted by Ctrl-C unless a handler took it. */
  readonly signal: AbortSignal;
  /** Somebody pressed Ctrl-C. */
  trigger(): void;
  /** Takes the next Ctrl-C only; the one after it aborts the signal. */
  handleNext(handler: () => void): Disposable;
}

/** Interrupts of one process. */
export function createInterrupts(): Interrupts {
  const controller = new AbortController();
  const handlers: (() => void)[] = [];
  return {
    signal: controller.signal,
    trigger: () => {
      const handler = handlers.pop();
      if (handler === undefined) controller.abort();
      else handler();
    },
    handleNext: handler => {
      handlers.push(handler);
      return {
        [Symbol.dispose]: () => {
          const index = handlers.indexOf(handler);
          if (index >= 0) handlers.splice(index, 1);
        },
      };
    },
  };
}
