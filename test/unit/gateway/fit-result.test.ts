import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { fitResult } from '#gateway/tools/fit-result.ts';
import { Outcome, ToolResultSchema, TruncationSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { resultText } from '#test/agent-turn.ts';

function result(...texts: string[]) {
  return create(ToolResultSchema, {
    callId: 'c',
    outcome: Outcome.SUCCESS,
    content: texts.map(text => ({ block: { case: 'text' as const, value: { text } } })),
  });
}

const MARK = /\n\[… (\d+) bytes omitted …\]\n/;

describe('a result', () => {
  it('within the limit stays as it is', () => {
    const fitting = result('a'.repeat(100));
    expect(fitResult(fitting, 100)).toBe(fitting);
  });

  it('above it keeps head and tail and says how much is gone', () => {
    const text = `${'h'.repeat(500)}${'m'.repeat(1000)}${'t'.repeat(500)}`;
    const fitted = fitResult(result(text), 1000);
    const [, omitted] = MARK.exec(resultText(fitted)) ?? [];
    expect(omitted).toBe('1000');
    expect(resultText(fitted).replace(MARK, '')).toBe('h'.repeat(500) + 't'.repeat(500));
    expect(fitted.truncation?.totalBytes).toBe(2000n);
    expect(fitted.truncation?.omittedBytes).toBe(1000n);
    expect(fitted.outcome).toBe(Outcome.SUCCESS);
  });

  it('just above it is cut too', () => {
    const fitted = fitResult(result('x'.repeat(110)), 100);
    expect(resultText(fitted)).toMatch(MARK);
    expect(fitted.truncation?.omittedBytes).toBe(10n);
  });

  it('is cut between characters, never inside one', () => {
    const fitted = resultText(fitResult(result('€'.repeat(1000)), 1000));
    expect(fitted).not.toContain('\uFFFD');
    expect(fitted.replace(MARK, '')).toMatch(/^€+$/);
  });

  it('of several blocks has one limit for all, and blocks past it are left out but counted', () => {
    const fitted = fitResult(result('a'.repeat(80), 'b'.repeat(80), 'c'.repeat(80)), 100);
    expect(Buffer.byteLength(resultText(fitted))).toBeLessThan(300);
    expect(fitted.truncation?.omittedBytes).toBe(140n);
    expect(fitted.truncation?.totalBytes).toBe(240n);
  });

  it('of very many blocks does not grow by its own marks', () => {
    const fitted = fitResult(result(...Array.from({ length: 5_000 }, () => 'x'.repeat(50))), 1_000);
    expect(Buffer.byteLength(resultText(fitted))).toBeLessThan(10_000);
  });

  it('that its executor had cut already adds up', () => {
    const cut = result('x'.repeat(200));
    cut.truncation = create(TruncationSchema, { totalBytes: 1_000n, omittedBytes: 800n });
    const { truncation } = fitResult(cut, 100);
    expect(truncation?.totalBytes).toBe(1_000n);
    expect(truncation?.omittedBytes).toBe(900n);
  });
});
