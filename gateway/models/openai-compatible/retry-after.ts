/** How long a server asks to wait, in milliseconds, from its Retry-After header; undefined when it does not say. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') {
    return undefined;
  }
  const seconds = Number(text);
  const waitMs = Number.isNaN(seconds) ? Date.parse(text) - nowMs : seconds * 1000;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}
