import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { ageText, localDateTime, readableSpan } from '../../../cli/render/time-text.ts';

describe('times for people', () => {
  it.each([
    [0, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min'],
    [3_600_000, '1 h'],
    [86_399_999, '23 h'],
    [86_400_000, '1 d'],
    [8_640_000_000, '100 d'],
  ])('says %i ms in their largest unit', (ms, text) => {
    expect(readableSpan(ms)).toBe(text);
  });

  it('takes what was made by a clock that is ahead for new', () => {
    expect(ageText(timestampFromMs(10_000), 5_000)).toBe('0 s');
    expect(ageText(timestampFromMs(10_000), 80_000)).toBe('1 min');
    expect(ageText(undefined, 80_000)).toBe('');
  });

  it('shows a moment on the clock of the reader', () => {
    expect(localDateTime(new Date(2026, 11, 1, 4, 5, 6))).toBe('2026-12-01 04:05:06');
    expect(localDateTime(new Date(Number.NaN))).toBe('');
  });
});
