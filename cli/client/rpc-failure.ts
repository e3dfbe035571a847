import { Code, ConnectError } from '@connectrpc/connect';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';

/** Codes that a gateway sends on purpose: trying again would give the same answer. */
const FINAL_CODES = new Set([
  Code.InvalidArgument,
  Code.NotFound,
  Code.AlreadyExists,
  Code.PermissionDenied,
  Code.ResourceExhausted,
  Code.FailedPrecondition,
  Code.OutOfRange,
  Code.Unimplemented,
  Code.Unauthenticated,
]);

/** True when the connection broke or could not be made, so that coming back later may help. */
export function isConnectionLoss(error: unknown): boolean {
  return error instanceof ConnectError && (hasSystemCause(error) || !FINAL_CODES.has(error.code));
}

/** Turns what a request to the gateway threw into one line for a person, with the right exit code. */
export function rpcFailure(error: unknown, address: string): unknown {
  if (!(error instanceof ConnectError)) return error;
  if (hasSystemCause(error)) {
    return new CommandFailure(
      `Cannot reach a gateway at ${address} (${causeText(error)}): start one with "npm start" or name another with --address.`,
      EXIT_CODES.unreachable,
      error,
    );
  }
  const text = escapeToOneLine(error.rawMessage);
  switch (error.code) {
    case Code.Unauthenticated:
      return new CommandFailure(
        `The gateway at ${address} does not know this token (${text}): name the right one with --token-file or TOOLGATE_TOKEN.`,
        EXIT_CODES.denied,
        error,
      );
    case Code.PermissionDenied:
      return new CommandFailure(`This token may not do that: ${text}`, EXIT_CODES.denied, error);
    case Code.InvalidArgument:
      return new CommandFailure(`The gateway refused the request: ${text}`, EXIT_CODES.usage, error);
    default:
      return new CommandFailure(
        `The gateway answered ${Code[error.code]}: ${text}`,
        EXIT_CODES.failed,
        error,
      );
  }
}

/** A request that never got an answer carries the error of Node's network code. */
function hasSystemCause(error: ConnectError): boolean {
  return error.cause instanceof Error && 'code' in error.cause && typeof error.cause.code === 'string';
}

function causeText(error: ConnectError): string {
  const cause = error.cause;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.rawMessage;
}
