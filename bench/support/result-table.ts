import { percentileMs, type Samples } from './measure.ts';

/** What was measured together: the first subject is what the others are set against. */
export interface Comparison {
  readonly title: string;
  readonly samples: readonly Samples[];
}

const HEADER = ['what', 'calls', 'p50 ms', 'p99 ms', 'p50 ratio', 'p99 ratio'];

/** The results as one Markdown table; a ratio is the time divided by that of the comparison's first row. */
export function resultTable(comparisons: readonly Comparison[]): string {
  const rows = comparisons.flatMap(({ title, samples }) => {
    const first = samples[0];
    return samples.map(({ name, timesMs }) => [
      `${title}: ${name}`,
      String(timesMs.length),
      ...[0.5, 0.99].map(share => timeText(percentileMs(timesMs, share))),
      ...[0.5, 0.99].map(share => ratio(timesMs, first?.timesMs ?? timesMs, share)),
    ]);
  });
  const lines = [HEADER, HEADER.map((_, column) => (column === 0 ? '---' : '---:')), ...rows];
  return lines.map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

// Two decimals, or as many as a time below them needs.
function timeText(timeMs: number): string {
  return timeMs < 0.1 ? timeMs.toPrecision(2) : timeMs.toFixed(2);
}

function ratio(timesMs: readonly number[], otherMs: readonly number[], share: number): string {
  return (percentileMs(timesMs, share) / percentileMs(otherMs, share)).toFixed(2);
}
