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
