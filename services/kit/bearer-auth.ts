import { createHash, timingSafeEqual } from 'node:crypto';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';

/** The token of an `Authorization: Bearer …` header; undefined when there is none. */
export function bearerToken(headers: Headers): string | undefined {
  const match = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '');
  return match?.[1];
}

/** SHA-256 of a token, in hex: what is stored and compared instead of the token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Lets only callers with this token in; everybody else gets Unauthenticated. Meant for executors, whose only caller
 * is the gateway.
 */
export function requireBearer(token: string): Interceptor {
  const wanted = Buffer.from(hashToken(token));
  return next => request => {
    const given = bearerToken(request.header);
    if (given === undefined || !timingSafeEqual(Buffer.from(hashToken(given)), wanted)) {
      throw new ConnectError(
        'this executor accepts only its gateway: send its token as a bearer',
        Code.Unauthenticated,
      );
    }
    return next(request);
  };
}
