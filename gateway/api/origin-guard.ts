import type { AnyRequest, AnyResponse, Refusal } from '#kit/one-port-server.ts';

const ALLOWED_HEADERS = [
  'authorization',
  'connect-protocol-version',
  'connect-timeout-ms',
  'content-type',
  'grpc-timeout',
  'x-grpc-web',
  'x-user-agent',
].join(', ');
const EXPOSED_HEADERS = 'grpc-status, grpc-message, grpc-status-details-bin';

/**
 * Lets a web page call only when the operator lists its origin; a page of any other origin is refused before a handler
 * sees the request, so a browser on this machine is no way in. Requests without an Origin are no browser's.
 */
export function originGuard(
  allowedOrigins: readonly string[],
): (request: AnyRequest, response: AnyResponse) => Refusal | undefined {
  const allowed = new Set(allowedOrigins.map(origin => new URL(origin).origin));
  return (request, response) => {
    const origin = request.headers.origin;
    if (origin === undefined) return undefined;
    if (!allowed.has(origin)) {
      return {
        status: 403,
        text: `Pages of ${origin} may not call this gateway; list the origin under allowedOrigins to let them.\n`,
      };
    }
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
    response.setHeader('vary', 'origin');
    if (request.method !== 'OPTIONS') return undefined;
    response.setHeader('access-control-allow-methods', 'POST, GET');
    response.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
    response.setHeader('access-control-max-age', '7200');
    return { status: 204, text: '' };
  };
}
