import type { Command } from 'commander';
import { MessageRole } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { Chat } from '../chat/chat-commands.ts';
import { chatLoop, surviving } from '../chat/chat-loop.ts';
import { joinTurn } from '../chat/chat-turn.ts';
import { openSession } from '../client/open-session.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { nameOf } from '../render/enum-words.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { messageLines } from '../render/message-lines.ts';
import { permissionModeNames } from '../render/outcome-text.ts';
import { parseMode } from './parse-mode.ts';
import type { Perform } from './perform.ts';

/** What `chat` can be told. */
interface ChatOptions {
  readonly agent?: string;
  readonly session?: string;
  readonly mode?: string;
}

/** Adds `toolgate chat`. */
export function addChatCommand(program: Command, perform: Perform): void {
  program
    .command('chat')
    .description('talk with an agent at the terminal; asks about calls that need a permission')
    .option('--agent <name>', 'begin a session with this agent')
    .option('--session <id>', 'go on with this session')
    .option('--mode <mode>', `permission mode: ${permissionModeNames().join(', ')}`)
    .addHelpText(
      'after',
      examples(
        ['toolgate chat --agent analyst', 'begin a session'],
        ['toolgate chat --session ses_1', 'go on with one, also where a call waits for a permission'],
      ),
    )
    .addHelpText('after', '\nCtrl-C stops a reply, a second one leaves; Ctrl-D leaves. /help says more.')
    .action((options: ChatOptions, command: Command) =>
      perform(command, context => chatAt(context, options)),
    );
}

async function chatAt(context: CommandContext, options: ChatOptions): Promise<number> {
  const { io, style, isJson } = context;
  if (isJson || io.stdin.isTTY !== true || io.stdout.isTTY !== true) {
    throw new CommandFailure(
      'chat needs a terminal: for programs there is "toolgate run", with --json and --session.',
      EXIT_CODES.usage,
    );
  }
  const mode = parseMode(options.mode);
  using client = context.connect();
  const session = await openSession(context, client, { ...options, mode });
  const { sessionId } = session;
  const chat: Chat = { context, client, sessionId, files: [] };
  context.say(style('dim', greeting(session)));
  try {
    if (options.session !== undefined) await surviving(chat, () => resume(chat, session));
    return await chatLoop(chat);
  } finally {
    context.say(style('dim', `Go on with: toolgate chat --session ${escapeToOneLine(sessionId)}`));
  }
}

function greeting({ sessionId, agent, mode }: Session): string {
  const inMode = mode === PermissionMode.DEFAULT ? '' : `, mode ${nameOf(PermissionMode, mode)}`;
  return `Session ${escapeToOneLine(sessionId)} with agent ${escapeToOneLine(agent?.name ?? '')}${inMode}. /help says what can be typed.`;
}

/** Shows what was said last; a reply that runs or waits is shown from its beginning and followed to its end. */
async function resume(chat: Chat, session: Session): Promise<boolean> {
  const { context, client, sessionId } = chat;
  const { messages } = await client.sessions.listMessages(
    { sessionId },
    { signal: context.io.interrupts.signal },
  );
  const last = messages.findLastIndex(({ role }) => role === MessageRole.USER);
  const { activeReply } = session;
  const shown = activeReply === undefined ? messages.slice(last) : messages.slice(last, last + 1);
  if (last > 0) {
    context.say(
      context.style(
        'dim',
        `… ${last} messages before: toolgate sessions show ${escapeToOneLine(sessionId)} --messages`,
      ),
    );
  }
  for (const line of last < 0 ? [] : shown.flatMap(message => messageLines(message, context.style)))
    context.say(line);
  if (activeReply !== undefined) await joinTurn(context, client, session, activeReply.replyId);
  return false;
}
