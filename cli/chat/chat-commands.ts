import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ContentBlockSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { fileContent } from '../client/message-content.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { parseMode } from '../commands/parse-mode.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { permissionModeNames } from '../render/outcome-text.ts';
import { sessionLines } from '../render/session-lines.ts';

/** One chat, as its commands see it. */
export interface Chat {
  readonly context: CommandContext;
  readonly client: GatewayClient;
  readonly sessionId: string;
  /** Files that go along with the next message. */
  readonly files: MessageInitShape<typeof ContentBlockSchema>[];
}

interface ChatCommand {
  readonly usage: string;
  readonly purpose: string;
  /** Does it; true ends the chat. */
  run(chat: Chat, argument: string): Promise<boolean>;
}

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  file: {
    usage: '/file PATH',
    purpose: 'send this file along with the next message',
    run: async ({ context, files }, path) => {
      if (path === '') throw new CommandFailure('Name the file: /file PATH.');
      files.push(fileContent(path, context.io.workingFolder));
      context.say(`${escapeToOneLine(path)} goes along with the next message.`);
      return false;
    },
  },
  mode: {
    usage: '/mode MODE',
    purpose: `change the permission mode: ${permissionModeNames().join(', ')}`,
    run: async ({ context, client, sessionId }, name) => {
      if (name === '') throw new CommandFailure(`Name the mode: ${permissionModeNames().join(', ')}.`);
      const { signal } = context.io.interrupts;
      await client.sessions.updateSession({ sessionId, mode: parseMode(name) }, { signal });
      context.say(`The session is in mode ${name.toUpperCase().replaceAll('-', '_')} now.`);
      return false;
    },
  },
  session: {
    usage: '/session',
    purpose: 'show what the gateway knows about this session',
    run: async ({ context, client, sessionId }) => {
      const { signal } = context.io.interrupts;
      const { session } = await client.sessions.getSession({ sessionId }, { signal });
      if (session !== undefined) context.say(sessionLines(session, context.style).join('\n'));
      return false;
    },
  },
  help: {
    usage: '/help',
    purpose: 'show this',
    run: async ({ context }) => {
      context.say(chatHelp());
      return false;
    },
  },
  exit: { usage: '/exit', purpose: 'leave; the session stays', run: async () => true },
};

/** What can be typed besides messages. */
function chatHelp(): string {
  const lines = Object.values(COMMANDS).map(({ usage, purpose }) => `  ${usage.padEnd(12)} ${purpose}`);
  return [
    ...lines,
    '  A line that ends with \\ goes on in the next; pasted lines are one message.',
    '  A line that begins with a space is not kept in the history, and is never a command.',
    '  Ctrl-C stops a reply, a second one leaves; Ctrl-D leaves.',
  ].join('\n');
}

/** Does what a line asks for when it is a command: "done", or "left" for the end of the chat. Other lines are messages. */
export async function tryChatCommand(chat: Chat, text: string): Promise<'message' | 'done' | 'left'> {
  const [, name, argument = ''] = /^\/([a-z]+)(?:\s+(.*))?$/.exec(text) ?? [];
  if (name === undefined) return 'message';
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    throw new CommandFailure(
      `There is no command /${name}: /help lists them; put a space before it to send it as a message.`,
      EXIT_CODES.usage,
    );
  }
  return (await command.run(chat, argument.trim())) ? 'left' : 'done';
}
