/** Exit codes of the command line; `toolgate --help` lists them. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  unreachable: 4,
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Ends a command: the message says what, where and how to fix it, and is all that a person gets to see. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT_CODES.failed, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}
