import { describe, expect, it } from 'vitest';
import { cutToCells, type TableColumn, tableLines } from '../../../cli/render/table.ts';

interface Fruit {
  readonly name: string;
  readonly count: number;
  readonly taste: string;
}

const plain = (_format: unknown, text: string): string => text;

const COLUMNS: readonly TableColumn<Fruit>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'COUNT', text: ({ count }) => String(count), align: 'right' },
  { title: 'TASTE', text: ({ taste }) => taste, mayBeCut: true },
];

function table(rows: readonly Fruit[], widthCells?: number): string[] {
  return tableLines(COLUMNS, rows, { style: plain, widthCells });
}

describe('a table', () => {
  it('aligns words at the left and numbers at the right, and leaves no space at the end of a line', () => {
    expect(
      table([
        { name: 'apple', count: 7, taste: 'sour' },
        { name: 'fig', count: 1200, taste: '' },
      ]),
    ).toEqual(['NAME   COUNT  TASTE', 'apple      7  sour', 'fig     1200']);
  });

  it('cuts only what may be cut, until the longest line fits exactly', () => {
    const lines = table([{ name: 'a-very-long-name', count: 1, taste: 'x'.repeat(80) }], 40);
    expect(lines[1]).toBe(`a-very-long-name      1  ${'x'.repeat(14)}…`);
    expect(lines[1]).toHaveLength(40);
  });

  it('leaves a line too long rather than a column without sense', () => {
    const lines = table([{ name: 'a-very-long-name', count: 1, taste: 'x'.repeat(80) }], 10);
    expect(lines[1]).toBe(`a-very-long-name      1  ${'x'.repeat(7)}…`);
  });

  it('cuts nothing where no width is given', () => {
    expect(table([{ name: 'a', count: 1, taste: 'x'.repeat(500) }])[1]).toContain('x'.repeat(500));
  });

  it('counts wide letters as two cells and joined ones as what they show', () => {
    const lines = table([
      { name: '苹果', count: 1, taste: 'a' },
      { name: '👩\u200d🚀', count: 2, taste: 'b' },
      { name: 'e\u0301', count: 3, taste: 'c' },
    ]);
    expect(lines).toEqual([
      'NAME  COUNT  TASTE',
      '苹果      1  a',
      '👩\u200d🚀        2  b',
      'e\u0301         3  c',
    ]);
  });

  it('keeps every cell on its line and free of commands to the terminal', () => {
    const [, line = ''] = table([{ name: 'a\nb', count: 1, taste: '\u001b[2J\u202e' }]);
    expect(line).toBe('a\\u{a}b      1  \\u{1b}[2J\\u{202e}');
  });
});

describe('a cut text', () => {
  it('never ends inside a letter', () => {
    expect(cutToCells('👩\u200d🚀👩\u200d🚀👩\u200d🚀', 5)).toBe('👩\u200d🚀👩\u200d🚀…');
    expect(cutToCells('漢字漢字', 4)).toBe('漢…');
  });

  it('stays whole when it just fits', () => {
    expect(cutToCells('漢字', 4)).toBe('漢字');
  });
});
