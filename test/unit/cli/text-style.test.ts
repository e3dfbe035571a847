import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTextStyle } from '../../../cli/render/text-style.ts';

const { getColorDepth } = WriteStream.prototype;
const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth });

describe('colours', () => {
  beforeEach(() => {
    vi.stubEnv('TERM', 'xterm-256color');
    for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI']) vi.stubEnv(name, undefined);
  });
  afterEach(() => vi.unstubAllEnvs());

  it('are for terminals', () => {
    expect(createTextStyle(terminal)('red', 'x')).toBe('\u001b[31mx\u001b[39m');
    expect(createTextStyle(new PassThrough())('red', 'x')).toBe('x');
  });

  it('are off where NO_COLOR is set', () => {
    vi.stubEnv('NO_COLOR', '1');
    expect(createTextStyle(terminal)('red', 'x')).toBe('x');
  });
});
