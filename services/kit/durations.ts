import { create } from '@bufbuild/protobuf';
import { type Duration, DurationSchema } from '@bufbuild/protobuf/wkt';

/** Protobuf duration of a time in milliseconds; fractions are kept to the nanosecond. */
export function durationFromMs(ms: number): Duration {
  const seconds = Math.trunc(ms / 1000);
  return create(DurationSchema, { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1000) * 1e6) });
}

/** Milliseconds of a protobuf duration. */
export function msFromDuration(duration: Duration): number {
  return Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}
