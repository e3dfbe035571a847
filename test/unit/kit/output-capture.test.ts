import { expect, test } from 'vitest';
import { OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { OutputCapture } from '#kit/output-capture.ts';

const { STDOUT, STDERR } = OutputStream;

test('characters split between pieces are put together, also when the other stream writes between', () => {
  const capture = new OutputCapture();
  const bytes = Buffer.from('left — right 🎉\n');
  capture.write(STDOUT, bytes.subarray(0, 6));
  capture.write(STDERR, Buffer.from('err\n'));
  capture.write(STDOUT, bytes.subarray(6));
  expect(capture.finish().text).toBe('err\nleft — right 🎉\n');
});

test('short output is complete', () => {
  const capture = new OutputCapture({ headChars: 10, tailChars: 10 });
  capture.write(STDOUT, Buffer.from('0123456789\nabcdefgh\n'));
  expect(capture.finish()).toEqual({ text: '0123456789\nabcdefgh\n', totalBytes: 20, omittedBytes: 0 });
});

test('long output keeps head and tail, and the mark says how much is missing', () => {
  const capture = new OutputCapture({ headChars: 100, tailChars: 100 });
  for (let line = 0; line < 10_000; line += 1) capture.write(STDOUT, Buffer.from(`line ${line}\n`));
  const { text, totalBytes, omittedBytes } = capture.finish();
  expect(text).toMatch(/^line 0\n/);
  expect(text).toMatch(/line 9999\n$/);
  expect(text).toContain(`${omittedBytes} of ${totalBytes} bytes omitted`);
  expect(Buffer.byteLength(text)).toBeLessThan(300);
});

test('a cut never splits a surrogate pair', () => {
  const capture = new OutputCapture({ headChars: 101, tailChars: 101 });
  capture.write(STDOUT, Buffer.from('🎉'.repeat(1000)));
  expect(capture.finish().text.isWellFormed()).toBe(true);
});

test('64 MiB without a line end stay small', () => {
  const capture = new OutputCapture({ headChars: 1000, tailChars: 1000 });
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (let megabyte = 0; megabyte < 64; megabyte += 1) capture.write(STDOUT, piece);
  const { text, totalBytes } = capture.finish();
  expect(totalBytes).toBe(64 * 1024 * 1024);
  expect(text.length).toBeLessThan(2200);
});

test('errors that came before the output that fills the tail are not lost', () => {
  const capture = new OutputCapture({ headChars: 100, tailChars: 100 });
  capture.write(STDOUT, Buffer.from('first\n'.repeat(100)));
  capture.write(STDERR, Buffer.from('it broke\n'));
  capture.write(STDOUT, Buffer.from('last\n'.repeat(1000)));
  expect(capture.finish().text).toMatch(/last\n\[Standard error ended with:\]\nit broke\n$/);
});

test('errors that the tail shows are not shown twice', () => {
  const capture = new OutputCapture({ headChars: 100, tailChars: 100 });
  capture.write(STDOUT, Buffer.from('first\n'.repeat(100)));
  capture.write(STDERR, Buffer.from('it broke\n'));
  expect(capture.finish().text.match(/it broke/g)).toHaveLength(1);
});
