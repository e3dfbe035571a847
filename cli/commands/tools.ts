import { toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { type ToolEntry, ToolEntrySchema } from '#gen/toolgate/gateway/v1/tool_service_pb.ts';
import { Risk, type ToolHints } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { nameOf, words } from '../render/enum-words.ts';
import { escapeForTerminal, escapeToOneLine } from '../render/escape-untrusted.ts';
import { showList, withListOptions } from '../render/list-output.ts';
import type { TableColumn } from '../render/table.ts';
import type { Perform } from './perform.ts';

/** What `tools` can be told. */
interface ToolsOptions {
  readonly session?: string;
}

/** Adds `toolgate tools [TOOL]`. */
export function addToolsCommand(program: Command, perform: Perform): void {
  withListOptions(program.command('tools'))
    .description('list the tools that can be called, or show one with the schema of its arguments')
    .argument('[tool]', 'show this one as a whole')
    .option('--session <id>', 'only what this session sees, through its filters')
    .addHelpText(
      'after',
      examples(
        ['toolgate tools', 'everything that executors and the gateway offer'],
        ['toolgate tools --session ses_1 --wide', 'what one session sees, with executors and hints'],
        ['toolgate tools Bash', 'description and arguments of one tool'],
        ["toolgate --json tools | jq -r '.spec.name'", 'only the names, for a script'],
      ),
    )
    .action((tool: string | undefined, options: ToolsOptions, command: Command) =>
      perform(command, context => tools(context, tool, options)),
    );
}

async function tools(
  context: CommandContext,
  name: string | undefined,
  options: ToolsOptions,
): Promise<number> {
  using client = context.connect();
  const { signal } = context.io.interrupts;
  const { tools: entries } = await client.tools.listTools({ sessionId: options.session ?? '' }, { signal });
  if (name !== undefined) {
    const entry = findEntry(entries, name);
    if (context.isJson) context.writeJson(toJson(ToolEntrySchema, entry));
    context.say(toolText(entry, context));
    return EXIT_CODES.ok;
  }
  showList(context, {
    rows: entries,
    columns: COLUMNS,
    json: entry => toJson(ToolEntrySchema, entry),
    emptyText: 'No tool can be called: "toolgate executors" shows who should offer some.',
  });
  return EXIT_CODES.ok;
}

const COLUMNS: readonly TableColumn<ToolEntry>[] = [
  { title: 'TOOL', text: ({ spec }) => spec?.name ?? '' },
  { title: 'EXECUTOR', text: ({ executor }) => executor, isWideOnly: true },
  {
    title: 'STATE',
    text: stateText,
    look: ({ available }) => (available ? 'green' : 'red'),
  },
  { title: 'RISK', text: ({ spec }) => riskText(spec?.risk ?? Risk.UNSPECIFIED), isWideOnly: true },
  { title: 'HINTS', text: ({ spec }) => hintsText(spec?.hints), isWideOnly: true },
  { title: 'ALIASES', text: ({ spec }) => spec?.aliases.join(', ') ?? '', isWideOnly: true },
  { title: 'DESCRIPTION', text: ({ spec }) => firstLine(spec?.description ?? ''), mayBeCut: true },
];

function findEntry(entries: readonly ToolEntry[], name: string): ToolEntry {
  const found =
    entries.find(({ spec }) => spec?.name === name) ??
    entries.find(({ spec }) => spec?.aliases.includes(name) === true);
  if (found !== undefined) return found;
  const names = entries.map(({ spec }) => escapeToOneLine(spec?.name ?? '')).join(', ');
  throw new CommandFailure(
    `There is no tool ${escapeToOneLine(name)}: there are ${names}.`,
    EXIT_CODES.usage,
  );
}

function toolText(entry: ToolEntry, { style }: CommandContext): string {
  const { spec } = entry;
  const line = (label: string, text: string): string[] =>
    text === '' ? [] : [`${style('dim', label.padEnd(9))} ${escapeToOneLine(text)}`];
  return [
    style('bold', escapeToOneLine(spec?.name ?? '')),
    ...line('executor', `${entry.executor}, ${stateText(entry)}`),
    ...line('version', spec?.version ?? ''),
    ...line('risk', riskText(spec?.risk ?? Risk.UNSPECIFIED)),
    ...line('hints', hintsText(spec?.hints)),
    ...line('aliases', spec?.aliases.join(', ') ?? ''),
    '',
    escapeForTerminal(spec?.description ?? '').trimEnd(),
    '',
    style('dim', 'arguments'),
    escapeForTerminal(indentedJson(spec?.inputSchemaJson ?? '')),
  ].join('\n');
}

function stateText({ available }: ToolEntry): string {
  return available ? 'ready' : 'unreachable';
}

function riskText(risk: Risk): string {
  return risk === Risk.UNSPECIFIED ? '' : words(nameOf(Risk, risk));
}

/** What the author declares, with the defaults of the protocol where nothing is said. */
function hintsText(hints: ToolHints | undefined): string {
  const said = [
    [hints?.readOnly ?? false, 'read-only'],
    [hints?.destructive ?? false, 'destructive'],
    [hints?.idempotent ?? false, 'idempotent'],
    [hints?.openWorld ?? false, 'open-world'],
    [!(hints?.concurrencySafe ?? true), 'runs alone'],
    [hints?.external ?? false, 'external'],
    [hints?.stateInjected ?? false, 'reads session state'],
  ] as const;
  return said.flatMap(([holds, text]) => (holds ? [text] : [])).join(', ');
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.trim() ?? '';
}

function indentedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
