import { randomUUID } from 'node:crypto';
import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamResponse,
  type UnaryResponse,
} from '@connectrpc/connect';
import type { Logger } from '#kit/logger.ts';

/**
 * Turns whatever a handler throws into a ConnectError. A ConnectError passes as it is; anything else is a bug: its
 * cause is logged once under an id, and the caller gets Internal with that id and no detail.
 */
export function mapErrors(logger: Logger): Interceptor {
  return next => async request => {
    try {
      const response = await next(request);
      return response.stream
        ? withMappedMessages(response, error => asConnectError(error, logger))
        : response;
    } catch (error) {
      throw asConnectError(error, logger);
    }
  };
}

function withMappedMessages(
  response: StreamResponse,
  map: (error: unknown) => ConnectError,
): StreamResponse | UnaryResponse {
  async function* messages() {
    try {
      yield* response.message;
    } catch (error) {
      throw map(error);
    }
  }
  return { ...response, message: messages() };
}

function asConnectError(error: unknown, logger: Logger): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof Error && error.name === 'AbortError') {
    return new ConnectError('the caller left', Code.Canceled, undefined, undefined, error);
  }
  const errorId = randomUUID();
  logger.error({ err: error, errorId }, 'request failed');
  return new ConnectError(`internal error ${errorId}; the log has its cause`, Code.Internal);
}
