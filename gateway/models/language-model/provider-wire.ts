import { ModelError } from '../model.ts';
import { brokenStream } from './broken-stream.ts';
import { repairedEvents } from './repaired-events.ts';
import { isWireObject, type WireObject, type WireRepairs } from './wire-format.ts';

/** What one request needs beside the request itself. */
export interface ProviderWireOptions {
  readonly repairs: WireRepairs;
  /** True where events are asked for. */
  readonly streamed: boolean;
  /** Longest silence while events are awaited, before the first one too. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** The connection of one answer: a fetch for the AI SDK, and what it learned. */
export interface ProviderWire {
  readonly fetch: typeof globalThis.fetch;
  /** Why the answer broke off, where the AI SDK cannot know. */
  problem(): ModelError | undefined;
  /** The whole answer of a server that sends no events though it was asked to; the fetch has then rejected. */
  wholeAnswer(): string | undefined;
}

/** Follows no redirect, because a key must reach no other host than the configured one. */
export function createProviderWire(options: ProviderWireOptions): ProviderWire {
  const { repairs, streamed, idleTimeoutMs, signal } = options;
  let problem: ModelError | undefined;
  let whole: string | undefined;
  const onProblem = (found: ModelError): void => {
    problem ??= found;
  };
  const eventsOf = async (response: Response): Promise<Response> => {
    if (response.body === null) return response;
    if (isJson(response)) {
      const { text, status } = await repairedAnswer(response, repairs);
      if (status >= 400) return jsonResponse(text, response, status);
      whole = text;
      throw brokenStream('sent no events');
    }
    const body = repairedEvents(response.body, { repairs, idleTimeoutMs, signal, onProblem });
    return new Response(body, { status: response.status, headers: response.headers });
  };
  return {
    problem: () => problem,
    wholeAnswer: () => whole,
    fetch: async (input, init) => {
      const send = (sendSignal: AbortSignal) =>
        fetch(input, { ...init, redirect: 'manual', signal: sendSignal });
      const response = streamed ? await beginWithin(idleTimeoutMs, signal, send) : await send(signal);
      if (!response.ok) return response;
      refuseWebPage(response);
      if (streamed) return eventsOf(response);
      const { text, status } = await repairedAnswer(response, repairs);
      return jsonResponse(text, response, status);
    },
  };
}

async function beginWithin(
  limitMs: number,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const idle = new AbortController();
  const message = `The model provider did not begin its answer within ${limitMs} ms.`;
  const timer = setTimeout(() => idle.abort(new ModelError({ reason: 'TIMED_OUT', message })), limitMs);
  try {
    return await send(AbortSignal.any([signal, idle.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function isJson(response: Response): boolean {
  return /^application\/(.*\+)?json/i.test(response.headers.get('content-type') ?? '');
}

function refuseWebPage(response: Response): void {
  if (!/^text\/html/i.test(response.headers.get('content-type') ?? '')) return;
  const message = 'The model provider answered with a web page; check its baseUrl.';
  throw new ModelError({ reason: 'REFUSED', message });
}

/** Some servers report an error with HTTP 200; the AI SDK looks at the status first. */
async function repairedAnswer(
  response: Response,
  repairs: WireRepairs,
): Promise<{ text: string; status: number }> {
  const text = await response.text();
  const { status } = response;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { text, status };
  }
  if (!isWireObject(value)) return { text, status };
  const answer = repairs.answer(value);
  return {
    text: JSON.stringify(answer),
    status: isWireObject(answer['error']) ? statusOf(answer['error']) : status,
  };
}

function statusOf({ code }: WireObject): number {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : 502;
}

function jsonResponse(text: string, { headers }: Response, status: number): Response {
  const kept = new Headers(headers);
  kept.delete('content-length');
  kept.delete('content-encoding');
  return new Response(text, { status, headers: kept });
}
