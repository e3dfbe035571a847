import { expect, test } from 'vitest';
import { type Splice, splice } from '#toolbox/files/splice.ts';

function spliced(content: string, edit: Partial<Splice>): string {
  const result = splice(Buffer.from(content), { oldText: '', newText: '', replaceAll: false, ...edit });
  if (result.kind !== 'SPLICED') throw new Error(`expected a splice, got ${result.kind}`);
  return result.bytes.toString();
}

test('an old text with LF matches a CRLF file, and all new lines become CRLF', () => {
  const edit = { oldText: 'b=1\nc=2', newText: 'b=9\nc=8\nd=7' };
  expect(spliced('a\r\nb=1\r\nc=2\r\ne\r\n', edit)).toBe('a\r\nb=9\r\nc=8\r\nd=7\r\ne\r\n');
});

test('line ends outside the match stay as they are in a file that mixes them', () => {
  expect(spliced('a\r\nb\nc\r\nd', { oldText: 'b', newText: 'B' })).toBe('a\r\nB\nc\r\nd');
});

test('line ends inside the match are kept one by one', () => {
  const edit = { oldText: 'a\nb\nc\n', newText: 'A\nB\nC\n' };
  expect(spliced('a\r\nb\nc\r\nd\n', edit)).toBe('A\r\nB\nC\r\nd\n');
});

test('a match that starts or ends at a CRLF takes or leaves the whole line end', () => {
  expect(spliced('a\r\nb\r\n', { oldText: '\nb', newText: '' })).toBe('a\r\n');
  expect(spliced('a\r\nb\r\n', { oldText: 'a', newText: 'x' })).toBe('x\r\nb\r\n');
});

test('an inserted line in a file with CRLF takes CRLF although the match holds none', () => {
  expect(spliced('a\r\nb\r\n', { oldText: 'b', newText: 'b\nc' })).toBe('a\r\nb\r\nc\r\n');
});

test('dollar patterns are text', () => {
  expect(spliced('x=0\n', { oldText: 'x=0', newText: "$& $1 $$ $` $'" })).toBe("$& $1 $$ $` $'\n");
});

test('bytes that are no UTF-8 survive an edit beside them', () => {
  const latin1 = Buffer.from([0x61, 0x3d, 0x31, 0x0a, 0xe9, 0x0a]);
  const result = splice(latin1, { oldText: 'a=1', newText: 'a=2', replaceAll: false });
  expect(result).toMatchObject({ bytes: Buffer.from([0x61, 0x3d, 0x32, 0x0a, 0xe9, 0x0a]) });
});

test('a match that is not unique names the lines of all matches and changes nothing', () => {
  const result = splice(Buffer.from('x\ny x\n\nx\n'), { oldText: 'x', newText: 'z', replaceAll: false });
  expect(result).toEqual({ kind: 'AMBIGUOUS', lines: [1, 2, 4], count: 3 });
});

test('matches that overlap are not unique either', () => {
  const result = splice(Buffer.from('aaa'), { oldText: 'aa', newText: 'b', replaceAll: false });
  expect(result).toMatchObject({ kind: 'AMBIGUOUS', count: 2 });
});

test('replaceAll replaces every match from left to right', () => {
  expect(spliced('a\r\na a\n', { oldText: 'a', newText: 'bb', replaceAll: true })).toBe('bb\r\nbb bb\n');
});

test('text that differs in spaces only is not found', () => {
  const result = splice(Buffer.from('a  b'), { oldText: 'a b', newText: 'c', replaceAll: false });
  expect(result).toEqual({ kind: 'NOT_FOUND' });
});
