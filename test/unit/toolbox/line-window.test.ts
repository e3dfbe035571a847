import { expect, test } from 'vitest';
import { LineWindow, type LineWindowOptions } from '#toolbox/files/line-window.ts';

function windowOver(
  pieces: readonly (string | Buffer)[],
  options: Partial<LineWindowOptions> = {},
): LineWindow {
  const window = new LineWindow({ first: 1, count: 10, lineLimitBytes: 100, limitBytes: 1000, ...options });
  for (const piece of pieces) window.feed(Buffer.from(piece));
  window.end();
  return window;
}

test('lines end with LF only, and a CR before it is not shown', () => {
  const window = windowOver(['a\r\nb\rc\nd']);
  expect(window.lines).toEqual([
    { number: 1, text: 'a' },
    { number: 2, text: 'b\rc' },
    { number: 3, text: 'd' },
  ]);
});

test('a line end at the very end begins no further line', () => {
  expect(windowOver(['a\nb\n']).lineCount).toBe(2);
  expect(windowOver(['']).lineCount).toBe(0);
});

test('only the wanted lines are kept and all are counted', () => {
  const window = windowOver(['1\n2\n3\n4\n5\n'], { first: 2, count: 2 });
  expect(window.lines.map(line => line.number)).toEqual([2, 3]);
  expect(window.lineCount).toBe(5);
});

test('characters and lines may be split between pieces anywhere', () => {
  const bytes = Buffer.from('漢字\nかな\n');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const window = windowOver([bytes.subarray(0, cut), bytes.subarray(cut)]);
    expect(window.lines.map(line => line.text)).toEqual(['漢字', 'かな']);
    expect(window.sawInvalid).toBe(false);
  }
});

test('a long line is cut between characters with the number of bytes left out', () => {
  const [line] = windowOver(['漢'.repeat(10)], { lineLimitBytes: 10 }).lines;
  expect(line?.text).toBe('漢漢漢 [line cut: 20 of 30 bytes left out]');
});

test('the window ends before the line that exceeds its size', () => {
  const window = windowOver(['12345\n12345\n12345\n'], { limitBytes: 12 });
  expect(window.lines).toHaveLength(2);
  expect(window.isFull).toBe(true);
});

test('bytes that are no UTF-8 are noticed', () => {
  expect(windowOver([Buffer.from([0x61, 0xe9, 0x0a])]).sawInvalid).toBe(true);
});
