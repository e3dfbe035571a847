import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { createInlineApprover } from '../approvals/inline-approver.ts';
import { messageContent } from '../client/message-content.ts';
import { openSession } from '../client/open-session.ts';
import { messageEvents } from '../client/reply-events.ts';
import { followTurn } from '../client/reply-turn.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { permissionModeNames } from '../render/outcome-text.ts';
import { parseMode } from './parse-mode.ts';
import type { Perform } from './perform.ts';

/** What `run` can be told. */
interface RunOptions {
  readonly agent?: string;
  readonly session?: string;
  readonly file?: readonly string[];
  readonly mode?: string;
}

/** Adds `toolgate run "message"`. */
export function addRunCommand(program: Command, perform: Perform): void {
  program
    .command('run')
    .description('send a message to an agent and show its reply; asks about calls that need a permission')
    .argument('<message>', 'what to say')
    .option('--agent <name>', 'begin a session with this agent')
    .option('--session <id>', 'go on with this session')
    .option('--file <path>', 'send this file along; may be given more than once', addTo)
    .option('--mode <mode>', `permission mode: ${permissionModeNames().join(', ')}`)
    .addHelpText(
      'after',
      examples(
        ['toolgate run --agent analyst --file orders.csv "What is the total?"', 'begin a session'],
        ['toolgate run --session ses_1 "And by month?"', 'go on with it'],
        [
          `toolgate --json run --agent analyst "hello" | jq -r '.textBlockDelta.text // empty'`,
          'only what the agent says, for a script',
        ],
      ),
    )
    .action((message: string, options: RunOptions, command: Command) =>
      perform(command, context => run(context, message, options)),
    );
}

async function run(context: CommandContext, message: string, options: RunOptions): Promise<number> {
  const content = messageContent(message, options.file ?? [], context.io.workingFolder);
  const mode = parseMode(options.mode);
  using client = context.connect();
  const { sessionId } = await openSession(context, client, { ...options, mode });
  if (options.agent !== undefined) {
    context.say(context.style('dim', `Session ${sessionId} with agent ${options.agent}`));
  }
  await using approver = createInlineApprover(context, client, sessionId);
  const { wasInterrupted, reply } = await followTurn({
    context,
    client,
    sessionId,
    begin: signal => messageEvents(client, { sessionId, content, requestId: randomUUID() }, signal),
    beforeShow: approver.beforeShow,
    onEvent: approver.onEvent,
  });
  context.say(context.style('dim', `Session ${sessionId}`));
  if (wasInterrupted) return EXIT_CODES.interrupted;
  return reply?.stopReason === StopReason.COMPLETED ? EXIT_CODES.ok : EXIT_CODES.failed;
}

function addTo(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}
