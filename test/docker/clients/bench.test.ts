import { expect, test } from 'vitest';
import { runBench } from '#test/run-bench.ts';

test('The Bash benchmark prints a row for docker exec and one for the gateway', async () => {
  const rows = await runBench(['bash-true', '--calls', '3', '--warm-up', '1']);
  expect(rows.map(row => [row.what, row.calls])).toEqual([
    ['true: docker exec', 3],
    ['true: Bash through the gateway', 3],
  ]);
});
