import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One chat completion as it came over the wire. */
export interface WireRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: WireBody;
}

/** The parts of a request that tests look at. */
export interface WireBody {
  readonly model: string;
  readonly stream: boolean;
  readonly stream_options?: unknown;
  readonly tools?: { function: { name: string; description: string; parameters: unknown } }[];
  readonly messages: {
    role: string;
    content: unknown;
    reasoning_content?: string;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
}

/** What the server does with one request; without anything set it streams nothing and ends with [DONE]. */
export interface WireReply {
  /** Objects sent as server-sent events. */
  readonly stream?: readonly object[];
  /** Text sent as it is, after the stream. */
  readonly raw?: string;
  /** Sent in place of a stream. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What follows the stream: [DONE], a connection that breaks, or nothing more for ever. */
  readonly ending?: 'done' | 'cut' | 'hang';
}

/** A server of chat completions for tests, on a port of its own. */
export interface OpenAIWireServer extends AsyncDisposable {
  /** Ends in "/v1". */
  readonly baseUrl: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly WireRequest[];
  /** Resolves when a client has gone before its answer was complete. */
  readonly clientGone: Promise<void>;
}

/** Answers the n-th request with the n-th reply, and the requests after the last one with a 500. */
export async function startOpenAIWireServer(replies: readonly WireReply[]): Promise<OpenAIWireServer> {
  const requests: WireRequest[] = [];
  const gone = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.once('close', () => response.writableFinished || gone.resolve());
    answer(request, response, requests, replies).catch(() => response.destroy());
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

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: WireRequest[],
  replies: readonly WireReply[],
): Promise<void> {
  const body: WireBody = JSON.parse(await text(request));
  const reply = replies[requests.length] ?? { status: 500, body: 'no reply left' };
  requests.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
  if (reply.status !== undefined) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body ?? '');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  response.flushHeaders();
  for (const event of reply.stream ?? []) {
    await write(response, `data: ${JSON.stringify(event)}\n\n`);
  }
  await write(response, reply.raw ?? '');
  if (reply.ending === 'cut') {
    response.destroy();
  } else if (reply.ending !== 'hang') {
    response.end('data: [DONE]\n\n');
  }
}

/** Resolves when the bytes are handed to the system, so that a cut comes after them. */
function write(response: ServerResponse, data: string): Promise<void> {
  return data === '' ? Promise.resolve() : new Promise(resolve => response.write(data, () => resolve()));
}

/** One chunk of a chat completion. */
export function wireChunk(delta: object, finishReason: string | null = null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'test',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/** A reply that says a text and stops. */
export function wireText(content: string): WireReply {
  return { stream: [wireChunk({ role: 'assistant', content }), wireChunk({}, 'stop')] };
}
