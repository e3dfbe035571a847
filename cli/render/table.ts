import stringWidth from 'string-width';
import { escapeToOneLine } from './escape-untrusted.ts';
import type { TextStyle } from './text-style.ts';

type Look = Parameters<TextStyle>[0];

/** One column of a table. */
export interface TableColumn<Row> {
  /** Its heading, in capitals. */
  readonly title: string;
  /** What stands in it; escaped by the table. */
  readonly text: (row: Row) => string;
  /** Numbers stand at the right. */
  readonly align?: 'left' | 'right';
  /** True for a text that still says something when its end is cut. */
  readonly mayBeCut?: boolean;
  /** True for what only the wide form shows. */
  readonly isWideOnly?: boolean;
  /** How the cell of a row looks. */
  readonly look?: (row: Row) => Look | undefined;
}

/** How a table is drawn. */
export interface TableOptions {
  readonly style: TextStyle;
  /** Cells that are left for a line; undefined cuts nothing. */
  readonly widthCells: number | undefined;
}

const GAP = '  ';
/** Below this a cut text says nothing any more. */
const SHORTEST_CUT_CELLS = 8;
const ELLIPSIS = '…';

/** The lines of a table with its headings. Texts that may be cut give way until a line fits the width. */
export function tableLines<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  options: TableOptions,
): string[] {
  const { style, widthCells } = options;
  const cells = rows.map(row => columns.map(column => escapeToOneLine(column.text(row))));
  const natural = columns.map((column, index) =>
    Math.max(stringWidth(column.title), ...cells.map(line => stringWidth(line[index] ?? ''))),
  );
  const widths = widthCells === undefined ? natural : fittedWidths(columns, natural, widthCells);
  const line = (texts: readonly string[], lookOf: (index: number) => Look | undefined): string =>
    texts
      .map((text, index) => {
        const shown = cutToCells(text, widths[index] ?? 0);
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(shown)));
        const look = lookOf(index);
        const styled = look === undefined || shown === '' ? shown : style(look, shown);
        return columns[index]?.align === 'right' ? `${space}${styled}` : `${styled}${space}`;
      })
      .join(GAP)
      .trimEnd();
  const headings = columns.map(({ title }) => title);
  return [
    line(headings, () => 'dim'),
    ...rows.map((row, at) => line(cells[at] ?? [], index => columns[index]?.look?.(row))),
  ];
}

/** The text, or as much of its beginning as fits, in terminal cells. */
export function cutToCells(text: string, widthCells: number): string {
  if (stringWidth(text) <= widthCells) return text;
  let kept = '';
  let keptCells = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    keptCells += stringWidth(segment);
    if (keptCells > widthCells - 1) break;
    kept += segment;
  }
  return `${kept}${ELLIPSIS}`;
}

/** Takes from the widest column that may be cut, a cell at a time, until the line fits or nothing more can give way. */
function fittedWidths<Row>(
  columns: readonly TableColumn<Row>[],
  natural: readonly number[],
  widthCells: number,
): number[] {
  const widths = [...natural];
  const least = columns.map(({ title }) => Math.max(SHORTEST_CUT_CELLS, stringWidth(title)));
  const gaps = GAP.length * (columns.length - 1);
  let excess = widths.reduce((sum, width) => sum + width, gaps) - widthCells;
  while (excess > 0) {
    const widest = columns.reduce((best, column, index) => {
      const canGive = column.mayBeCut === true && (widths[index] ?? 0) > (least[index] ?? 0);
      return canGive && (widths[index] ?? 0) > (widths[best] ?? 0) ? index : best;
    }, -1);
    if (widest < 0) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}
