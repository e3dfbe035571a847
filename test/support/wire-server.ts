import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request to a model as it came over the wire. */
export interface WireRequest<Body = unknown> {
  /** Method and path. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
  /** When it came, in milliseconds of a clock that never goes back. */
  readonly atMs: number;
}

/** What the server does with one request; without anything set it streams nothing and ends as its format does. */
export interface WireReply {
  /** Objects sent as server-sent events. */
  readonly stream?: readonly object[];
  /** Text sent as it is, after the stream. */
  readonly raw?: string;
  /** Bytes sent as they are, each in a packet of its own, after the text. */
  readonly pieces?: readonly Uint8Array[];
  /** An answer that comes as a whole. */
  readonly json?: object;
  /** Sent in place of a stream. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What follows the stream: its proper end, none, a connection that breaks, or nothing more for ever. */
  readonly ending?: 'done' | 'bare' | 'cut' | 'hang';
}

/** How a format puts events on the wire. */
export interface WireEncoding {
  encode(event: object): string;
  /** What follows the last event. */
  readonly done: string;
}

/** A server for tests, on a port of its own. */
export interface WireServer<Body = unknown> extends AsyncDisposable {
  /** Ends in "/v1". */
  readonly baseUrl: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly WireRequest<Body>[];
  /** Resolves when a client has gone before its answer was complete. */
  readonly clientGone: Promise<void>;
}

/** Answers the n-th request with the n-th reply, and the requests after the last one with a 500. */
export async function startWireServer<Body>(
  replies: readonly WireReply[] | ((index: number) => WireReply),
  encoding: WireEncoding,
): Promise<WireServer<Body>> {
  const requests: WireRequest<Body>[] = [];
  const gone = Promise.withResolvers<void>();
  const replyAt = typeof replies === 'function' ? replies : (index: number) => replies[index];
  const server = createServer((request, response) => {
    response.once('close', () => response.writableFinished || gone.resolve());
    receive<Body>(request)
      .then(received => {
        requests.push(received);
        const reply = replyAt(requests.length - 1) ?? { status: 500, body: 'no reply left' };
        return answer(response, reply, encoding);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    clientGone: gone.promise,
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function receive<Body>(request: IncomingMessage): Promise<WireRequest<Body>> {
  const { method, url, headers } = request;
  const body: Body = JSON.parse(await text(request));
  return { path: `${method} ${url}`, headers, body, atMs: performance.now() };
}

async function answer(response: ServerResponse, reply: WireReply, encoding: WireEncoding): Promise<void> {
  const { status, headers, json } = reply;
  if (status !== undefined || json !== undefined) {
    response.writeHead(status ?? 200, { 'content-type': 'application/json', ...headers });
    response.end(json === undefined ? reply.body : JSON.stringify(json));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
  for (const data of packets(reply, encoding)) await write(response, data);
  if (reply.ending === 'cut') {
    response.destroy();
  } else if (reply.ending !== 'hang') {
    response.end(reply.ending === 'bare' ? '' : encoding.done);
  }
}

function packets({ stream, raw, pieces }: WireReply, encoding: WireEncoding): (string | Uint8Array)[] {
  return [...(stream ?? []).map(event => encoding.encode(event)), raw ?? '', ...(pieces ?? [])];
}

/** Resolves when the bytes are handed to the system, so that a cut comes after them. */
function write(response: ServerResponse, data: string | Uint8Array): Promise<void> {
  return data.length === 0
    ? Promise.resolve()
    : new Promise(resolve => response.write(data, () => resolve()));
}
