import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

/** A moment on the clock of whoever reads it, such as "2026-01-31 14:05:09"; empty when there is none. */
export function localTime(time: Timestamp | undefined): string {
  return time === undefined ? '' : localDateTime(timestampDate(time));
}

/** The same of a Date. */
export function localDateTime(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : FORMAT.format(date);
}

/** Sweden writes dates as ISO 8601 does. */
const FORMAT = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A span as people say it, in its largest unit that fits: "40 s", "7 min", "3 h", "12 d". */
export function readableSpan(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`;
}

/** The span since a moment; empty when there is none. A clock that is behind makes nothing younger than new. */
export function ageText(time: Timestamp | undefined, nowMs: number): string {
  return time === undefined ? '' : readableSpan(Math.max(0, nowMs - timestampDate(time).getTime()));
}
