import { toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { ExplainResponseSchema } from '#gen/toolgate/gateway/v1/permission_service_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { createTemporarySession } from '../client/temporary-session.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { callSummary } from '../render/call-lines.ts';
import { decisionLines } from '../render/decision-lines.ts';
import { permissionModeNames } from '../render/outcome-text.ts';
import { argumentsObject } from './arguments-object.ts';
import { parseMode } from './parse-mode.ts';
import type { Perform } from './perform.ts';

/** What `explain` can be told. */
interface ExplainOptions {
  readonly session?: string;
  readonly agent?: string;
  readonly mode?: string;
}

/** Adds `toolgate explain TOOL JSON`. */
export function addExplainCommand(program: Command, perform: Perform): void {
  program
    .command('explain')
    .description('decide about a call without running it, and show every step of the decision')
    .argument('<tool>', 'name of the tool')
    .argument('[json]', 'its arguments as a JSON object', '{}')
    .option('--session <id>', 'as this session would decide')
    .option('--agent <name>', 'as a new session with this agent would decide')
    .option(
      '--mode <mode>',
      `in this permission mode, not with --session: ${permissionModeNames().join(', ')}`,
    )
    .addHelpText(
      'after',
      examples(
        ['toolgate explain Bash \'{"command": "git status"}\'', 'as a session with no agent would decide'],
        [
          'toolgate explain Write \'{"file_path": "a.txt", "content": ""}\' --agent analyst --mode plan',
          'as an agent in a mode would',
        ],
      ),
    )
    .addHelpText('after', '\nExits with 3 when the call is denied, with 0 when it is allowed or asked about.')
    .action((tool: string, json: string, options: ExplainOptions, command: Command) =>
      perform(command, context => explain(context, tool, argumentsObject(json), options)),
    );
}

async function explain(
  context: CommandContext,
  toolName: string,
  argumentsJson: string,
  options: ExplainOptions,
): Promise<number> {
  const mode = parseMode(options.mode);
  if (options.session !== undefined && (options.agent !== undefined || options.mode !== undefined)) {
    throw new CommandFailure(
      'A session has its agent and mode: leave out --agent and --mode, or --session.',
      EXIT_CODES.usage,
    );
  }
  using client = context.connect();
  if (options.session !== undefined) {
    return await explainIn(context, client, options.session, toolName, argumentsJson);
  }
  await using session = await createTemporarySession(context, client, {
    agent:
      options.agent === undefined
        ? { case: 'definition', value: { name: 'command-line' } }
        : { case: 'agentName', value: options.agent },
    mode,
  });
  return await explainIn(context, client, session.sessionId, toolName, argumentsJson);
}

async function explainIn(
  context: CommandContext,
  client: GatewayClient,
  sessionId: string,
  toolName: string,
  argumentsJson: string,
): Promise<number> {
  const response = await client.permissions.explain(
    { sessionId, toolName, argumentsJson },
    { signal: context.io.interrupts.signal },
  );
  const { decision } = response;
  if (decision === undefined) throw new CommandFailure('The gateway did not say what it decided.');
  if (context.isJson) context.writeJson(toJson(ExplainResponseSchema, response));
  context.say(callSummary(toolName, argumentsJson, context.style));
  for (const line of decisionLines(decision, context.style)) context.say(line);
  return decision.behavior === PermissionBehavior.DENY ? EXIT_CODES.denied : EXIT_CODES.ok;
}
