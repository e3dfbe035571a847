import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { createInlineApprover } from '../approvals/inline-approver.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { callEvents } from '../client/reply-events.ts';
import { followTurn } from '../client/reply-turn.ts';
import { createTemporarySession } from '../client/temporary-session.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { argumentsObject } from './arguments-object.ts';
import type { Perform } from './perform.ts';

/** Name that the sessions of single calls have in lists. */
const AGENT_OF_CALLS = 'command-line';

/** Adds `toolgate call TOOL JSON`. */
export function addCallCommand(program: Command, perform: Perform): void {
  program
    .command('call')
    .description('run one tool with no model in between, through the same permissions')
    .argument('<tool>', 'name of the tool')
    .argument('[json]', 'its arguments as a JSON object', '{}')
    .option('--session <id>', 'run it in this session; without one a session is made and deleted afterwards')
    .addHelpText(
      'after',
      examples(
        [`toolgate call Bash '{"command": "uname -a"}'`, 'in a sandbox that goes away afterwards'],
        [`toolgate call Read '{"file_path": "a.txt"}' --session ses_1`, 'where a session works'],
      ),
    )
    .action((tool: string, json: string, options: { session?: string }, command: Command) =>
      perform(command, context => call(context, tool, argumentsObject(json), options.session)),
    );
}

async function call(
  context: CommandContext,
  toolName: string,
  argumentsJson: string,
  givenSession: string | undefined,
): Promise<number> {
  using client = context.connect();
  if (givenSession !== undefined) return await callIn(context, client, givenSession, toolName, argumentsJson);
  await using session = await createTemporarySession(context, client, {
    agent: { case: 'definition', value: { name: AGENT_OF_CALLS } },
  });
  return await callIn(context, client, session.sessionId, toolName, argumentsJson);
}

async function callIn(
  context: CommandContext,
  client: GatewayClient,
  sessionId: string,
  toolName: string,
  argumentsJson: string,
): Promise<number> {
  await using approver = createInlineApprover(context, client, sessionId);
  const { wasInterrupted, outcome } = await followTurn({
    context,
    client,
    sessionId,
    begin: signal =>
      callEvents(client, { sessionId, toolName, argumentsJson, requestId: randomUUID() }, signal),
    beforeShow: approver.beforeShow,
    onEvent: approver.onEvent,
  });
  return wasInterrupted ? EXIT_CODES.interrupted : exitCodeOf(outcome);
}

function exitCodeOf(outcome: Outcome): number {
  if (outcome === Outcome.SUCCESS) return EXIT_CODES.ok;
  if (outcome === Outcome.DENIED) return EXIT_CODES.denied;
  return outcome === Outcome.INTERRUPTED ? EXIT_CODES.interrupted : EXIT_CODES.failed;
}
