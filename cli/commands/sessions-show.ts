import { toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { MessageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { SessionSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { approvalPanel } from '../render/approval-panel.ts';
import { messageLines } from '../render/message-lines.ts';
import { sessionLines } from '../render/session-lines.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate sessions show SESSION`. */
export function addSessionShow(sessions: Command, perform: Perform): void {
  sessions
    .command('show')
    .description('show one session: agent, mode, filters, rules, plan and what waits in it')
    .argument('<session>', 'id of the session')
    .option('--messages', 'with its conversation so far')
    .addHelpText('after', examples(['toolgate sessions show ses_1 --messages', 'with the conversation']))
    .action((sessionId: string, options: { messages?: boolean }, command: Command) =>
      perform(command, context => showSession(context, sessionId, options.messages === true)),
    );
}

async function showSession(
  context: CommandContext,
  sessionId: string,
  withMessages: boolean,
): Promise<number> {
  using client = context.connect();
  const { signal } = context.io.interrupts;
  const { session } = await client.sessions.getSession({ sessionId }, { signal });
  if (session === undefined) throw new CommandFailure('The gateway did not send the session.');
  const { messages } = withMessages
    ? await client.sessions.listMessages({ sessionId }, { signal })
    : { messages: [] };
  if (context.isJson) {
    context.writeJson(toJson(SessionSchema, session));
    for (const message of messages) context.writeJson(toJson(MessageSchema, message));
    return EXIT_CODES.ok;
  }
  for (const line of sessionLines(session, context.style)) context.say(line);
  for (const line of messages.flatMap(message => messageLines(message, context.style))) context.say(line);
  for (const call of session.pending) context.say(`\n${approvalPanel(call, context.style).trimEnd()}`);
  return EXIT_CODES.ok;
}
