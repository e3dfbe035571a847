import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { createInlineApprover } from '../approvals/inline-approver.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { messageContent } from '../client/message-content.ts';
import { messageEvents } from '../client/reply-events.ts';
import { followTurn } from '../client/reply-turn.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { permissionModeNames } from '../render/outcome-text.ts';
import { parseMode } from './parse-mode.ts';
import type { Perform } from './perform.ts';

/** What `run` can be told. */
interface RunOptions {
  readonly agent?: string;
  readonly session?: string;
  readonly file: readonly string[];
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
    .option('--file <path>', 'send this file along; may be given more than once', addTo, [])
    .option('--mode <mode>', `permission mode: ${permissionModeNames().join(', ')}`)
    .action((message: string, options: RunOptions, command: Command) =>
      perform(command, context => run(context, message, options)),
    );
}

async function run(context: CommandContext, message: string, options: RunOptions): Promise<number> {
  const content = messageContent(message, options.file, context.io.workingFolder);
  const mode = parseMode(options.mode);
  using client = context.connect();
  const sessionId = await openSession(context, client, options, mode);
  using approver = createInlineApprover(context, client, sessionId);
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

async function openSession(
  context: CommandContext,
  client: GatewayClient,
  options: RunOptions,
  mode: PermissionMode,
): Promise<string> {
  const { signal } = context.io.interrupts;
  if (options.session !== undefined && options.agent === undefined) {
    if (mode !== PermissionMode.UNSPECIFIED) {
      await client.sessions.updateSession({ sessionId: options.session, mode }, { signal });
    }
    return options.session;
  }
  if (options.agent === undefined || options.session !== undefined) {
    throw new CommandFailure('Name an agent with --agent, or a session with --session.', EXIT_CODES.usage);
  }
  const { session } = await client.sessions.createSession(
    { agent: { case: 'agentName', value: options.agent }, mode },
    { signal },
  );
  if (session === undefined) throw new CommandFailure('The gateway created no session.');
  context.say(context.style('dim', `Session ${session.sessionId} with agent ${options.agent}`));
  return session.sessionId;
}

function addTo(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}
