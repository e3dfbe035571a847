import { connect as connectSocket } from 'node:net';
import { type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { ExecutorService } from '#gen/toolgate/executor/v1/executor_service_pb.ts';

/** A connection to one executor. */
export interface ExecutorLink {
  readonly client: Client<typeof ExecutorService>;
  /** Cuts the connection; calls go on in the executor. */
  close(): void;
}

/** Where an executor is and what opens it. */
export interface ExecutorLinkOptions {
  /** `http://host:port`, `https://host:port`, or `unix:/path`. */
  readonly address: string;
  /** For https: the CAs to trust instead of Node's own, as PEM text. */
  readonly tls?: { readonly ca: string };
  /** Sent as a bearer; asked for with every request, so that a rotated token is taken. */
  readonly token?: () => string | undefined;
}

/** How often a silent connection is checked; a peer that vanished without a word is noticed after two of them. */
const PING_INTERVAL_MS = 10_000;

/** Opens a link to an executor. Connects with the first request, and again after a loss. */
export function connectExecutor(options: ExecutorLinkOptions): ExecutorLink {
  const socketPath = options.address.startsWith('unix:') ? options.address.slice('unix:'.length) : undefined;
  const baseUrl = socketPath === undefined ? options.address : 'http://localhost';
  const sessionManager = new Http2SessionManager(
    baseUrl,
    { pingIntervalMs: PING_INTERVAL_MS },
    socketPath === undefined ? { ...options.tls } : { createConnection: () => connectSocket(socketPath) },
  );
  const transport = createGrpcTransport({
    baseUrl,
    sessionManager,
    acceptCompression: [],
    interceptors: options.token === undefined ? [] : [withBearer(options.token)],
  });
  return { client: createClient(ExecutorService, transport), close: () => sessionManager.abort() };
}

function withBearer(token: () => string | undefined): Interceptor {
  return next => request => {
    const value = token();
    if (value !== undefined) request.header.set('authorization', `Bearer ${value}`);
    return next(request);
  };
}
