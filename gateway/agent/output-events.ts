import type { UnnumberedEvent } from '#gateway/store/store.ts';
import { type OutputChunk, OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { EventBody } from './events.ts';

/**
 * Turns the raw output of one call into events: text where the bytes are UTF-8, data where they are not. Characters
 * that are split between chunks are held back until they are whole. Past the limit nothing more is logged; the result
 * still has head and tail.
 */
export class OutputEvents {
  readonly #callId: string;
  readonly #make: (event: EventBody) => UnnumberedEvent;
  readonly #held = new Map<OutputStream, Uint8Array>();
  #roomBytes: number;

  constructor(callId: string, make: (event: EventBody) => UnnumberedEvent, limitBytes: number) {
    this.#callId = callId;
    this.#make = make;
    this.#roomBytes = limitBytes;
  }

  /** Events of the next chunk. */
  add(chunk: OutputChunk): UnnumberedEvent[] {
    if (this.#roomBytes <= 0) return [];
    const held = this.#held.get(chunk.stream);
    const bytes = held === undefined ? chunk.data : Buffer.concat([held, chunk.data]);
    this.#roomBytes -= chunk.data.length;
    const events = this.#eventsOf(chunk.stream, bytes);
    if (this.#roomBytes <= 0) events.push(...this.end(), this.#closing());
    return events;
  }

  /** Events of what was held back when the output ended. */
  end(): UnnumberedEvent[] {
    const rest = [...this.#held].filter(([, bytes]) => bytes.length > 0);
    this.#held.clear();
    return rest.map(([stream, bytes]) => this.#eventOf(stream, bytes));
  }

  #eventsOf(stream: OutputStream, bytes: Uint8Array): UnnumberedEvent[] {
    const splitAt = bytes.length - incompleteTail(bytes);
    this.#held.set(stream, bytes.subarray(splitAt));
    const whole = bytes.subarray(0, splitAt);
    if (whole.length === 0) return [];
    return [this.#eventOf(stream, whole)];
  }

  #eventOf(stream: OutputStream, bytes: Uint8Array): UnnumberedEvent {
    const callId = this.#callId;
    const text = decodeStrictly(bytes);
    return this.#make(
      text === undefined
        ? { case: 'toolResultDataDelta', value: { callId, stream, data: Uint8Array.from(bytes) } }
        : { case: 'toolResultTextDelta', value: { callId, stream, text } },
    );
  }

  #closing(): UnnumberedEvent {
    const text = '\n[more output is not kept in the event log; the result has its head and tail]\n';
    return this.#make({
      case: 'toolResultTextDelta',
      value: { callId: this.#callId, stream: OutputStream.STDOUT, text },
    });
  }
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes at the end that begin a UTF-8 character without finishing it: 0 to 3. */
function incompleteTail(bytes: Uint8Array): number {
  const lastStart = bytes.subarray(-3).findLastIndex(byte => (byte & 0b1100_0000) !== 0b1000_0000);
  if (lastStart === -1) return 0;
  const have = Math.min(bytes.length, 3) - lastStart;
  return characterLength(bytes[bytes.length - have] ?? 0) > have ? have : 0;
}

/** Length of a UTF-8 character in bytes, by its first byte (RFC 3629). */
function characterLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  if (firstByte >= 0xe0) return 3;
  return firstByte >= 0xc0 ? 2 : 1;
}
