import { type JsonValue, toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { type Session, SessionSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { nameOf } from '../render/enum-words.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { showList, withListOptions } from '../render/list-output.ts';
import { labelsText, sessionLook, sessionStateText } from '../render/session-text.ts';
import type { TableColumn } from '../render/table.ts';
import { ageText, localTime } from '../render/time-text.ts';
import { countParser } from './count-parser.ts';
import type { Perform } from './perform.ts';
import { addSessionDelete } from './sessions-delete.ts';
import { addSessionShow } from './sessions-show.ts';

/** What `sessions list` can be told. */
interface ListOptions {
  readonly limit: number;
  readonly page?: string;
  readonly all?: boolean;
  readonly pending?: boolean;
}

const DEFAULT_PAGE_SIZE = 50;
/** The gateway gives no larger pages. */
const LARGEST_PAGE_SIZE = 500;

/** Adds `toolgate sessions` with its subcommands; without one it lists. */
export function addSessionsCommand(program: Command, perform: Perform): void {
  const sessions = program
    .command('sessions')
    .description('list, show and delete sessions')
    .addHelpText(
      'after',
      examples(
        ['toolgate sessions', 'the newest sessions'],
        ['toolgate sessions --pending', 'only those in which something waits for a person'],
        ['toolgate sessions show ses_1 --messages', 'one session with its conversation'],
        ['toolgate sessions delete ses_1 ses_2', 'end two sessions and free their sandboxes'],
      ),
    );
  withListOptions(sessions.command('list', { isDefault: true }))
    .description('list sessions, newest first (also without "list")')
    .option(
      '--limit <number>',
      `sessions of a page, at most ${LARGEST_PAGE_SIZE}`,
      countParser(LARGEST_PAGE_SIZE),
      DEFAULT_PAGE_SIZE,
    )
    .option('--page <token>', 'the page with this token, as the page before names it')
    .option('--all', 'every page')
    .option('--pending', 'only sessions in which something waits for a person')
    .addHelpText(
      'after',
      examples(
        ['toolgate sessions list --limit 10 --wide', 'ten sessions with models, modes and labels'],
        ["toolgate --json sessions list --all | jq -r '.sessionId'", 'the ids of all, for a script'],
      ),
    )
    .action((options: ListOptions, command: Command) =>
      perform(command, context => listSessions(context, options)),
    );
  addSessionShow(sessions, perform);
  addSessionDelete(sessions, perform);
}

async function listSessions(context: CommandContext, options: ListOptions): Promise<number> {
  using client = context.connect();
  const { sessions, nextPageToken } = await readPages(client, options, context.io.interrupts.signal);
  showList(context, {
    rows: sessions,
    columns: columns(Date.now()),
    json: (session): JsonValue => toJson(SessionSchema, session),
    emptyText: options.pending === true ? 'Nothing waits for a person.' : 'There are no sessions.',
  });
  if (nextPageToken === '') return EXIT_CODES.ok;
  if (context.isJson) context.writeJson({ nextPageToken });
  context.say(
    context.style(
      'dim',
      `There are more: toolgate sessions --page ${escapeToOneLine(nextPageToken)}, or --all.`,
    ),
  );
  return EXIT_CODES.ok;
}

async function readPages(
  client: GatewayClient,
  options: ListOptions,
  signal: AbortSignal,
): Promise<{ readonly sessions: Session[]; readonly nextPageToken: string }> {
  const readAll = options.all === true;
  const sessions: Session[] = [];
  let pageToken = options.page ?? '';
  do {
    const page = await client.sessions.listSessions(
      {
        pageSize: readAll ? LARGEST_PAGE_SIZE : options.limit,
        pageToken,
        pendingOnly: options.pending === true,
      },
      { signal },
    );
    sessions.push(...page.sessions);
    pageToken = page.nextPageToken;
  } while (readAll && pageToken !== '');
  return { sessions, nextPageToken: pageToken };
}

function columns(nowMs: number): readonly TableColumn<Session>[] {
  return [
    { title: 'SESSION', text: ({ sessionId }) => sessionId },
    { title: 'AGENT', text: ({ agent }) => agent?.name ?? '', mayBeCut: true },
    { title: 'USER', text: ({ user }) => user, mayBeCut: true },
    { title: 'STATE', text: sessionStateText, look: sessionLook },
    { title: 'AGE', text: ({ createTime }) => ageText(createTime, nowMs), align: 'right' },
    { title: 'CREATED', text: ({ createTime }) => localTime(createTime), isWideOnly: true },
    { title: 'MODE', text: ({ mode }) => nameOf(PermissionMode, mode), isWideOnly: true },
    { title: 'MODEL', text: ({ agent }) => agent?.model ?? '', isWideOnly: true },
    { title: 'EVENTS', text: ({ lastSequence }) => String(lastSequence), align: 'right', isWideOnly: true },
    { title: 'LABELS', text: labelsText, isWideOnly: true },
  ];
}
