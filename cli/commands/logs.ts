import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { LOG_LEVELS, type LogEntry, logEntry } from '../logs/log-entry.ts';
import { createLogReader, type LogReader } from '../logs/log-reader.ts';
import { logLines } from '../render/log-lines.ts';
import { countParser } from './count-parser.ts';
import type { Perform } from './perform.ts';

/** What `logs` can be told. */
interface LogsOptions {
  readonly follow?: boolean;
  readonly lines: number;
  readonly level?: string;
}

/** One log and who writes it. */
interface LogSource {
  readonly title: string;
  readonly reader: LogReader;
}

const TITLES = ['gateway', 'executor'] as const;
const FILES = { gateway: 'gateway.log', executor: 'sandbox-executor.log' } as const;
const TITLE_WIDTH = Math.max(...TITLES.map(title => title.length));
const DEFAULT_LINES = 50;
const MOST_LINES = 100_000;
const POLL_MS = 200;

/** Adds `toolgate logs`. */
export function addLogsCommand(program: Command, perform: Perform): void {
  program
    .command('logs')
    .description('show what gateway and sandbox executor of the data folder have logged')
    .addArgument(new Argument('[whose]', 'only this log').choices(TITLES))
    .option('-f, --follow', 'go on with what is logged from now on, until Ctrl-C')
    .option('-n, --lines <number>', 'begin with this many lines', countParser(MOST_LINES), DEFAULT_LINES)
    .addOption(
      new Option('--level <level>', 'only lines this severe or worse').choices(Object.keys(LOG_LEVELS)),
    )
    .addHelpText(
      'after',
      examples(
        ['toolgate logs -f', 'both logs, as they are written'],
        ['toolgate logs gateway --level warn -n 1000', 'what went wrong lately'],
        ['toolgate --json logs -n 1000 | jq .msg', 'the lines as they are in the files'],
      ),
    )
    .action((whose: keyof typeof FILES | undefined, options: LogsOptions, command: Command) =>
      perform(command, context => logs(context, whose, options)),
    );
}

async function logs(
  context: CommandContext,
  whose: keyof typeof FILES | undefined,
  options: LogsOptions,
): Promise<number> {
  const { folder, io } = context;
  const titles = whose === undefined ? TITLES : [whose];
  const files = titles.map(title => ({ title, path: join(folder.logs, FILES[title]) }));
  if (!files.some(({ path }) => existsSync(path))) {
    throw new CommandFailure(
      `There is no log in ${folder.logs}: nothing was started with this data folder yet.`,
    );
  }
  const sources = files.map(({ title, path }) => ({ title, reader: createLogReader(path) }));
  const show = showing(context, LOG_LEVELS[options.level ?? ''] ?? 0);
  const first = sources.flatMap(({ title, reader }) => timed(title, reader.last(options.lines)));
  for (const { title, entry } of first.sort((a, b) => a.atMs - b.atMs).slice(-options.lines))
    show(title, entry);
  if (options.follow === true) await follow(sources, show, io.interrupts.signal);
  return EXIT_CODES.ok;
}

async function follow(
  sources: readonly LogSource[],
  show: (title: string, entry: LogEntry) => void,
  signal: AbortSignal,
): Promise<void> {
  while (true) {
    for (const { title, reader } of sources) for (const line of reader.next()) show(title, logEntry(line));
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Entries with the time they sort by; a line without one belongs to the line before it. */
function timed(
  title: string,
  lines: readonly string[],
): { readonly title: string; readonly entry: LogEntry; readonly atMs: number }[] {
  let atMs = 0;
  return lines.map(line => {
    const entry = logEntry(line);
    atMs = entry.timeMs ?? atMs;
    return { title, entry, atMs };
  });
}

function showing(context: CommandContext, leastLevel: number): (title: string, entry: LogEntry) => void {
  return (title, entry) => {
    if (entry.level < leastLevel) return;
    if (context.isJson) context.io.stdout.write(`${entry.line}\n`);
    else for (const line of logLines(entry, title.padEnd(TITLE_WIDTH), context.style)) context.say(line);
  };
}
