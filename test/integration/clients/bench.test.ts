import { expect, test } from 'vitest';
import { runBench } from '#test/run-bench.ts';

test('The CallTool benchmark prints a row for the raw call and one for the gateway', async () => {
  const rows = await runBench(['call-tool', '--calls', '20', '--warm-up', '5']);
  expect(rows.map(row => row.what)).toEqual([
    'no-op: raw grpc-js unary call',
    'no-op: CallTool noop through the gateway',
  ]);
  expect(rows.map(row => row.calls)).toEqual([20, 20]);
  expect(rows[0]).toMatchObject({ p50Ratio: 1, p99Ratio: 1 });
});
