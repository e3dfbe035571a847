import { createParser } from 'eventsource-parser';
import { ModelError } from '../model.ts';
import { brokenStream } from './broken-stream.ts';
import { isWireObject, type WireRepairs } from './wire-format.ts';

/** How long a server may take to end its answer after the last event; servers that never do exist. */
const END_GRACE_MS = 250;
const MAX_QUOTED_CHARACTERS = 200;

/** How events are read. */
export interface EventReading {
  readonly repairs: WireRepairs;
  /** Longest silence between two pieces of the answer. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Told why the events end before the answer does; they end without an error, so that nothing before is lost. */
  readonly onProblem: (problem: ModelError) => void;
}

/** Reads server-sent events and gives them on repaired, one event for each JSON object. */
export function repairedEvents(
  body: ReadableStream<Uint8Array>,
  reading: EventReading,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const events = new EventRepairer(reading);
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const text = events.take();
        if (text !== '') return controller.enqueue(encoder.encode(text));
        if (events.hasEnded) {
          await letGo(reader);
          return controller.close();
        }
        await readMore(reader, decoder, events, reading);
      }
    },
    cancel: reason => reader.cancel(reason),
  });
}

async function readMore(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  decoder: InstanceType<typeof TextDecoder>,
  events: EventRepairer,
  { idleTimeoutMs, signal }: EventReading,
): Promise<void> {
  try {
    const read = await withinMs(reader.read(), idleTimeoutMs);
    if (read === 'too late') {
      const message = `The model provider sent nothing for ${idleTimeoutMs} ms.`;
      events.fail(new ModelError({ reason: 'TIMED_OUT', message }));
    } else if (read.done) {
      events.end();
    } else {
      events.feed(decoder.decode(read.value, { stream: true }));
    }
  } catch (error) {
    signal.throwIfAborted();
    const detail = error instanceof Error ? error.message : String(error);
    events.fail(brokenStream(`broke off its answer: the connection broke (${detail})`));
  }
}

async function letGo(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  // A body that was read to its end leaves a connection that can be used again.
  const rest = await withinMs(reader.read(), END_GRACE_MS).catch(() => 'broken' as const);
  if (rest === 'too late' || (rest !== 'broken' && !rest.done)) await reader.cancel().catch(() => undefined);
}

async function withinMs<Value>(promise: Promise<Value>, limitMs: number): Promise<Value | 'too late'> {
  const late = Promise.withResolvers<'too late'>();
  const timer = setTimeout(() => late.resolve('too late'), limitMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

class EventRepairer {
  hasEnded = false;
  #ready = '';
  readonly #reading: EventReading;
  readonly #parser = createParser({ onEvent: ({ data }) => this.#add(data) });

  constructor(reading: EventReading) {
    this.#reading = reading;
  }

  feed(text: string): void {
    this.#parser.feed(text);
  }

  /** Repaired events that wait. */
  take(): string {
    const ready = this.#ready;
    this.#ready = '';
    return ready;
  }

  end(): void {
    // Some servers leave the empty line after their last event out.
    if (!this.hasEnded) this.#parser.feed('\n\n');
    this.hasEnded = true;
  }

  fail(problem: ModelError): void {
    this.#reading.onProblem(problem);
    this.hasEnded = true;
  }

  #add(data: string): void {
    if (this.hasEnded || data.trim() === '') return;
    if (data.trim() === '[DONE]') {
      this.#ready += 'data: [DONE]\n\n';
      this.hasEnded = true;
      return;
    }
    const values = parseValues(data);
    if (values === undefined) {
      const quoted = data.length > MAX_QUOTED_CHARACTERS ? `${data.slice(0, MAX_QUOTED_CHARACTERS)}…` : data;
      this.fail(brokenStream(`broke off its answer: an event is no JSON: ${quoted}`));
      return;
    }
    for (const value of values) this.#addValue(value);
  }

  #addValue(value: unknown): void {
    if (!isWireObject(value)) return;
    const { repairs } = this.#reading;
    const repaired = repairs.event(value);
    if (repaired === undefined) return;
    this.#ready += `data: ${JSON.stringify(repaired)}\n\n`;
    this.hasEnded ||= repairs.isLast(repaired);
  }
}

/** One value, or several where a server forgot the empty lines between its events; undefined for no JSON. */
function parseValues(data: string): unknown[] | undefined {
  try {
    return [JSON.parse(data)];
  } catch {
    const lines = data.split('\n');
    try {
      return lines.length > 1 ? lines.map(line => JSON.parse(line)) : undefined;
    } catch {
      return undefined;
    }
  }
}
