import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { Code, type ConnectRouter, type Interceptor } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Logger } from '#kit/logger.ts';
import { createTlsListener, type TlsFiles } from '#kit/tls-listener.ts';

/** A host with a port (0 takes a free one), or a Unix socket. */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly socketPath: string };

/** Why a request is turned away before any handler sees it. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** What a server is made of. */
export interface ServerOptions {
  readonly routes: (router: ConnectRouter) => void;
  readonly listen: ListenAddress;
  readonly interceptors: Interceptor[];
  /** Largest request message; a larger one answers ResourceExhausted. */
  readonly readMaxBytes: number;
  /** Looks at each request first, for example at its Origin; may set response headers. */
  readonly guard?: (request: AnyRequest, response: AnyResponse) => Refusal | undefined;
  /** Given, only secure connections are taken; the logger tells when changed files are in use. */
  readonly tls?: { readonly files: TlsFiles; readonly logger: Logger };
  /** Aborted when the server begins to shut down; handed to every handler's context. */
  readonly shutdownSignal?: AbortSignal;
}

type NodeHandler = ReturnType<typeof connectNodeAdapter>;
/** A request over either version of HTTP. */
export type AnyRequest = Parameters<NodeHandler>[0];
/** The response to it. */
export type AnyResponse = Parameters<NodeHandler>[1];

/** A server that listens. */
export interface RunningServer {
  /** `http://host:port`, `https://host:port`, or `unix:/path`. */
  readonly address: string;
  /** Takes no new work, lets running requests finish for at most `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
}

/** First bytes of every HTTP/2 connection (RFC 9113, section 3.4); no HTTP/1.1 method starts with them. */
const HTTP2_PREFACE_START = 'PRI ';
/** Time a client may take to send its first bytes. */
const FIRST_BYTES_TIMEOUT_MS = 30_000;

/**
 * Serves Connect, gRPC, gRPC-Web and plain HTTP/1.1 on one port. Node's plaintext HTTP/2 server refuses HTTP/1.1, so
 * the first bytes of each connection decide which of two servers gets the socket.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const adapter = connectNodeAdapter({
    routes: options.routes,
    interceptors: options.interceptors,
    readMaxBytes: options.readMaxBytes,
    fallback: answerUnknown,
    ...(options.shutdownSignal === undefined ? {} : { shutdownSignal: options.shutdownSignal }),
  });
  const handler = (request: AnyRequest, response: AnyResponse): void => {
    const refusal = options.guard?.(request, response);
    if (refusal === undefined) adapter(request, response);
    else refuse(response as ServerResponse, refusal);
  };
  const http1 = createHttp1Server(handler as (request: IncomingMessage, response: ServerResponse) => void);
  // It never listens itself, and without this it neither times out slow requests nor knows its idle connections.
  http1.emit('listening');
  const http2 = createHttp2Server(handler);
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', session => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const give = (socket: Socket, isHttp2: boolean): void => {
    (isHttp2 ? http2 : http1).emit('connection', socket);
  };
  const listener =
    options.tls === undefined
      ? createTcpServer({ noDelay: true }, socket => handOver(socket, isHttp2 => give(socket, isHttp2)))
      : createTlsListener(options.tls.files, options.tls.logger, socket => {
          socket.on('error', () => socket.destroy());
          give(socket, socket.alpnProtocol === 'h2');
        });
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await listen(listener, options.listen);
  const scheme = options.tls === undefined ? 'http' : 'https';
  return {
    address: addressOf(scheme, options.listen, listener.address()),
    close: async graceMs => {
      const closed = new Promise<void>(resolve => listener.close(() => resolve()));
      for (const session of sessions) session.close();
      http1.closeIdleConnections();
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      http1.close();
      await closed;
      clearTimeout(cut);
    },
  };
}

function handOver(socket: Socket, give: (isHttp2: boolean) => void): void {
  const impatience = setTimeout(() => socket.destroy(), FIRST_BYTES_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(impatience));
  let seen = Buffer.alloc(0);
  const look = (): void => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    // Kept here until the next bytes: given back to the socket, they would make it readable again at once, for ever.
    seen = Buffer.concat([seen, chunk]);
    const start = seen.toString('latin1', 0, HTTP2_PREFACE_START.length);
    if (start.length < HTTP2_PREFACE_START.length && HTTP2_PREFACE_START.startsWith(start)) return;
    socket.off('readable', look);
    clearTimeout(impatience);
    socket.unshift(seen);
    give(start === HTTP2_PREFACE_START);
  };
  socket.on('readable', look);
}

/** What no service has: gRPC clients want a gRPC status, everybody else gets HTTP's own. */
function answerUnknown(request: AnyRequest, response: AnyResponse): void {
  const contentType = request.headers['content-type'] ?? '';
  const reply = response as ServerResponse;
  if (!contentType.startsWith('application/grpc')) {
    refuse(reply, { status: 404, text: `There is no ${request.url} here.\n` });
    return;
  }
  const message = encodeURIComponent(`there is no method ${request.url} here`);
  // Set one by one, so that headers and the end of the stream go out in one frame, as gRPC wants it for an error.
  reply.setHeader('content-type', contentType);
  reply.setHeader('grpc-status', Code.Unimplemented);
  reply.setHeader('grpc-message', message);
  reply.end();
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(refusal.text);
}

function listen(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const done = (): void => {
      server.off('error', reject);
      resolve();
    };
    if ('socketPath' in address) server.listen(address.socketPath, done);
    else server.listen(address.port, address.host, done);
  });
}

function addressOf(scheme: string, wanted: ListenAddress, bound: AddressInfo | string | null): string {
  if ('socketPath' in wanted) return `unix:${wanted.socketPath}`;
  const port = typeof bound === 'object' && bound !== null ? bound.port : wanted.port;
  const host = wanted.host.includes(':') ? `[${wanted.host}]` : wanted.host;
  return `${scheme}://${host}:${port}`;
}
