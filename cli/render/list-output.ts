import type { JsonValue } from '@bufbuild/protobuf';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { type TableColumn, tableLines } from './table.ts';

/** A list in each of its forms. */
export interface ListOutput<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  /** What --json writes of a row. */
  readonly json: (row: Row) => JsonValue;
  /** What a person reads when there is nothing to list. */
  readonly emptyText: string;
}

/** Gives a command the options that choose the form of its list. */
export function withListOptions(command: Command): Command {
  return command
    .addOption(
      new Option('-o, --output <form>', 'table, wide (more columns, nothing cut) or json').choices([
        'table',
        'wide',
        'json',
      ]),
    )
    .addOption(new Option('--wide', 'the same as -o wide').implies({ output: 'wide' }));
}

/** Writes the list as a table that fits the terminal, as a wide one, or as a line of JSON a row. */
export function showList<Row>(context: CommandContext, list: ListOutput<Row>): void {
  const { io, isJson, isWide, style } = context;
  if (isJson) {
    for (const row of list.rows) context.writeJson(list.json(row));
    return;
  }
  if (list.rows.length === 0) {
    context.say(list.emptyText);
    return;
  }
  const columns = list.columns.filter(column => isWide || column.isWideOnly !== true);
  // What is read by a program or kept in a file is never cut.
  const widthCells = isWide || io.stdout.isTTY !== true ? undefined : io.stdout.columns;
  for (const line of tableLines(columns, list.rows, { style, widthCells })) context.say(line);
}
