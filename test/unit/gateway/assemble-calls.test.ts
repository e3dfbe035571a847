import { describe, expect, it } from 'vitest';
import { CallAssembler } from '#gateway/agent/assemble-calls.ts';

type Piece = readonly [id: string, index: number, name: string, argumentsDelta: string];

function assemble(...pieces: Piece[]): string[] {
  const assembler = new CallAssembler();
  for (const [providerCallId, index, name, argumentsDelta] of pieces) {
    assembler.add({ kind: 'tool-call', providerCallId, index, name, argumentsDelta });
  }
  return assembler.calls().map(call => `${call.providerCallId}:${call.name}(${call.argumentsText})`);
}

describe('pieces of calls', () => {
  it('with id and index in every piece make one call an id', () => {
    expect(assemble(['a', 0, 'x', '{"k"'], ['a', 0, '', ':1}'], ['b', 1, 'y', '{}'])).toEqual([
      'a:x({"k":1})',
      'b:y({})',
    ]);
  });

  it('that carry the id only at the start go by their index', () => {
    expect(assemble(['a', 0, 'x', '{'], ['b', 1, 'y', '{'], ['', 0, '', '"k":1}'], ['', 1, '', '}'])).toEqual(
      ['a:x({"k":1})', 'b:y({})'],
    );
  });

  it('that are interleaved stay apart by id', () => {
    expect(
      assemble(['a', 0, 'x', '{"v":'], ['b', 1, 'y', '{"w":'], ['a', 0, '', '1}'], ['b', 1, '', '2}']),
    ).toEqual(['a:x({"v":1})', 'b:y({"w":2})']);
  });

  it('of two calls with one id are two calls where the index differs', () => {
    expect(assemble(['same', 0, 'x', '{"v":1}'], ['same', 1, 'x', '{"v":2}'])).toEqual([
      'same:x({"v":1})',
      'same:x({"v":2})',
    ]);
  });

  it('that all have index 0 are calls by their ids', () => {
    expect(assemble(['a', 0, 'x', '{"v":1}'], ['b', 0, 'y', '{"v":2}'])).toEqual([
      'a:x({"v":1})',
      'b:y({"v":2})',
    ]);
  });

  it('that all have index 0 and an id only at the start go to the call that began last', () => {
    expect(assemble(['a', 0, 'x', '{'], ['', 0, '', '}'], ['b', 0, 'y', '{"v"'], ['', 0, '', ':2}'])).toEqual(
      ['a:x({})', 'b:y({"v":2})'],
    );
  });

  it('without any id go by their index', () => {
    expect(assemble(['', 0, 'x', '{'], ['', 1, 'y', '{"v":2}'], ['', 0, '', '}'])).toEqual([
      ':x({})',
      ':y({"v":2})',
    ]);
  });

  it('without id and index go to the current call, and a name begins another one once it is complete', () => {
    expect(
      assemble(['', -1, 'x', '{"v"'], ['', -1, '', ':1}'], ['', -1, 'y', '{}'], ['', -1, 'x', '{"v":3}']),
    ).toEqual([':x({"v":1})', ':y({})', ':x({"v":3})']);
  });

  it('that repeat the name in every piece are one call', () => {
    expect(assemble(['', 0, 'x', '{"v"'], ['', 0, 'x', ':1}'])).toEqual([':x({"v":1})']);
  });

  it('whose id comes late are one call', () => {
    expect(assemble(['', 0, 'x', '{"v"'], ['late', 0, '', ':1}'])).toEqual(['late:x({"v":1})']);
  });

  it('without index but with ids make one call an id', () => {
    expect(assemble(['a', -1, 'x', '{'], ['b', -1, 'y', '{}'], ['a', -1, '', '}'])).toEqual([
      'a:x({})',
      'b:y({})',
    ]);
  });

  it('with neither arguments nor anything else are a call with empty arguments', () => {
    expect(assemble(['a', 0, 'x', ''])).toEqual(['a:x()']);
  });

  it('of two calls with one id and no index are two calls once the first is complete', () => {
    expect(assemble(['same', -1, 'x', '{"v":1}'], ['same', -1, 'y', '{"v":2}'])).toEqual([
      'same:x({"v":1})',
      'same:y({"v":2})',
    ]);
  });

  it('of two calls with one id and one index are two calls once the first is complete', () => {
    expect(assemble(['same', 0, 'x', '{"v":1}'], ['same', 0, 'y', '{"v"'], ['same', 0, '', ':2}'])).toEqual([
      'same:x({"v":1})',
      'same:y({"v":2})',
    ]);
  });

  it('that name the tool once more at the end, without arguments, make no second call', () => {
    expect(assemble(['a', 0, 'x', '{"v":1}'], ['a', 0, 'x', ''])).toEqual(['a:x({"v":1})']);
    expect(assemble(['', 0, 'x', '{"v":1}'], ['', 0, 'x', ''])).toEqual([':x({"v":1})']);
  });

  it('keep what the provider wants back', () => {
    const assembler = new CallAssembler();
    const piece = {
      kind: 'tool-call' as const,
      providerCallId: 'a',
      index: 0,
      name: 'x',
      argumentsDelta: '{}',
    };
    assembler.add({ ...piece, providerMetadataJson: '{"signature":"s"}' });
    assembler.add({ ...piece, name: '', argumentsDelta: '' });
    expect(assembler.calls()).toEqual([
      { providerCallId: 'a', name: 'x', argumentsText: '{}', providerMetadataJson: '{"signature":"s"}' },
    ]);
  });
});
