import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { eventMaker } from '#gateway/agent/events.ts';
import { OutputEvents } from '#gateway/agent/output-events.ts';
import type { UnnumberedEvent } from '#gateway/store/store.ts';
import { OutputChunkSchema, OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';

const { STDOUT, STDERR } = OutputStream;

function output(limitBytes = 1_000_000) {
  const events = new OutputEvents(
    'c',
    eventMaker('r', () => 0),
    limitBytes,
  );
  return {
    add: (data: Uint8Array | string, stream: OutputStream = STDOUT) =>
      events.add(create(OutputChunkSchema, { stream, data: Buffer.from(data) })).map(told),
    end: () => events.end().map(told),
  };
}

function told({ event }: UnnumberedEvent): string {
  if (event.case === 'toolResultTextDelta')
    return `${event.value.stream === STDERR ? 'STDERR' : 'STDOUT'} ${event.value.text}`;
  if (event.case === 'toolResultDataDelta') return `bytes ${Buffer.from(event.value.data).toString('hex')}`;
  return String(event.case);
}

describe('raw output', () => {
  it('is text where it is UTF-8', () => {
    expect(output().add('größe €')).toEqual(['STDOUT größe €']);
  });

  it.each([
    ['ä', 1],
    ['€', 1],
    ['€', 2],
    ['😀', 1],
    ['😀', 2],
    ['😀', 3],
  ])('holds %s back while it is split after byte %i', (character, at) => {
    const bytes = Buffer.from(`a${character}`);
    const { add, end } = output();
    expect(add(bytes.subarray(0, 1 + at))).toEqual(['STDOUT a']);
    expect(add(bytes.subarray(1 + at))).toEqual([`STDOUT ${character}`]);
    expect(end()).toEqual([]);
  });

  it('comes whole when it arrives byte by byte', () => {
    const { add } = output();
    const pieces = [...Buffer.from('x😀y€z')].flatMap(byte => add(Uint8Array.of(byte)));
    expect(pieces.map(piece => piece.slice('STDOUT '.length)).join('')).toBe('x😀y€z');
  });

  it('is bytes where it is no UTF-8', () => {
    expect(output().add(Buffer.from([0xff, 0xfe, 0x00, 0x41]))).toEqual(['bytes fffe0041']);
  });

  it('keeps a byte order mark', () => {
    expect(output().add('\uFEFFa')).toEqual(['STDOUT \uFEFFa']);
  });

  it('does not mix the streams', () => {
    const { add } = output();
    const euro = Buffer.from('€');
    expect(add(euro.subarray(0, 1), STDOUT)).toEqual([]);
    expect(add('e', STDERR)).toEqual(['STDERR e']);
    expect(add(euro.subarray(1), STDOUT)).toEqual(['STDOUT €']);
  });

  it('that ends in the middle of a character gives those bytes at the end', () => {
    const { add, end } = output();
    add(Buffer.from('€').subarray(0, 2));
    expect(end()).toEqual(['bytes e282']);
    expect(end()).toEqual([]);
  });

  it('past the limit says once that no more is kept', () => {
    const { add, end } = output(10);
    expect(add('12345')).toEqual(['STDOUT 12345']);
    expect(add('67890')).toEqual(['STDOUT 67890', expect.stringContaining('is not kept')]);
    expect(add('more')).toEqual([]);
    expect(end()).toEqual([]);
  });

  it('is not logged at all with a limit of 0', () => {
    expect(output(0).add('text')).toEqual([]);
  });
});
