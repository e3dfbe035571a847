import { isWireObject, wireObject, wireObjects } from './wire-format.ts';

/** How long a server asks to wait, in milliseconds, from its headers; undefined when it does not say. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') {
    return undefined;
  }
  const seconds = Number(text);
  const waitMs = Number.isNaN(seconds) ? Date.parse(text) - nowMs : seconds * 1000;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

/** The same from the body of an error as Google writes it, whose servers send no header. */
export function retryDelayMs(body: unknown): number | undefined {
  const details = wireObjects(wireObject(isWireObject(body) ? body['error'] : undefined)['details']);
  const delay = details.map(detail => detail['retryDelay']).find(value => typeof value === 'string');
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
