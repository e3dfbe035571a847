import { expect, test } from 'vitest';
import { ModelText } from '#kit/model-text.ts';

function reduced(...pieces: readonly string[]): string {
  const text = new ModelText();
  return pieces.map(piece => text.write(piece)).join('') + text.end();
}

test('colours and cursor movements are dropped', () => {
  expect(reduced('\u001b[31mred\u001b[0m \u001b[2K\u001b[1Gtail\u001b[m\n')).toBe('red tail\n');
});

test('titles and links of terminals are dropped, whichever way they end', () => {
  expect(reduced('\u001b]0;title\u0007a \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\n')).toBe(
    'a link\n',
  );
});

test('of a line that is redrawn the last drawing stays', () => {
  expect(reduced('10%\r50%\r100%\n', 'next\n')).toBe('100%\nnext\n');
});

test('a redrawn line may be split between pieces anywhere', () => {
  const raw = 'get 10%\r\u001b[32mget 99%\u001b[0m\rdone\r\nafter\n';
  for (let cut = 0; cut <= raw.length; cut += 1) {
    expect(reduced(raw.slice(0, cut), raw.slice(cut))).toBe('done\nafter\n');
  }
});

test('CRLF is a line end', () => {
  expect(reduced('a\r\nb\r\n')).toBe('a\nb\n');
});

test('backspaces take back what they overstrike', () => {
  expect(reduced('N\bNA\bAM\bM\n')).toBe('NAM\n');
});

test('other control characters become visible, tabs stay', () => {
  expect(reduced('a\u0000b\u0007\tc\u007f\n')).toBe('a\u2400b\u2407\tc\u2421\n');
});

test('text without a line end comes out at the end', () => {
  expect(reduced('no ', 'end')).toBe('no end');
});

test('an endless line is not held back', () => {
  const text = new ModelText();
  expect(text.write('x'.repeat(200_000)).length).toBe(200_000);
});
