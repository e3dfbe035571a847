import { Code, ConnectError } from '@connectrpc/connect';

const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** The HTTP status with which the Docker daemon refused something; undefined for other errors. */
export function dockerStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** What an error of the Docker API means to a caller: a ConnectError with one sentence that says what to do. */
export function asConnectError(error: unknown, doing: string, dockerSocket: string): ConnectError {
  if (error instanceof ConnectError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const because = (text: string, code: Code): ConnectError =>
    new ConnectError(text, code, undefined, undefined, error);
  if (isTimeout(error)) {
    return because(`Docker did not answer in time while ${doing}; nothing ran`, Code.Unavailable);
  }
  if (error instanceof Error && 'code' in error && UNREACHABLE.has(String(error.code))) {
    return because(
      `Docker cannot be reached at ${dockerSocket} (${String(error.code)}); nothing ran. Is the daemon running, and may this user use it?`,
      Code.Unavailable,
    );
  }
  if (dockerStatus(error) === 404 && /no such image/i.test(message)) {
    return because(
      `${message.replace(/^\(HTTP[^)]*\)\s*/, '')}; build it from sandbox-images/`,
      Code.FailedPrecondition,
    );
  }
  return because(`Docker failed while ${doing}: ${message}; nothing ran`, Code.Unavailable);
}

function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'TimeoutError' || (error.cause instanceof Error && error.cause.name === 'TimeoutError')
  );
}
