import { toJson } from '@bufbuild/protobuf';
import { Argument, type Command } from 'commander';
import { RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PutRuleResponseSchema } from '#gen/toolgate/gateway/v1/permission_service_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { behaviorText, ruleSourceText, ruleText } from '../render/rule-text.ts';
import type { Perform } from './perform.ts';

const BEHAVIORS: Readonly<Record<string, PermissionBehavior>> = {
  allow: PermissionBehavior.ALLOW,
  ask: PermissionBehavior.ASK,
  deny: PermissionBehavior.DENY,
};

/** Adds `toolgate rules add BEHAVIOR RULE`. */
export function addRuleAdd(rules: Command, perform: Perform): void {
  rules
    .command('add')
    .description('keep a rule for all of your sessions, or for one; says what is odd about it')
    .addArgument(
      new Argument('<behavior>', 'what happens to calls that match').choices(Object.keys(BEHAVIORS)),
    )
    .argument('<rule>', 'TOOL for every call of a tool, or TOOL(CONTENT)')
    .option('--session <id>', 'only for this session')
    .addHelpText(
      'after',
      examples(
        ["toolgate rules add allow 'Bash(git status:*)'", 'commands that begin with these words'],
        ["toolgate rules add deny 'Read(**/.env)'", 'files by a gitignore pattern'],
        ['toolgate rules add ask Write --session ses_1', 'every call of a tool, in one session'],
      ),
    )
    .action((behavior: string, rule: string, options: { session?: string }, command: Command) =>
      perform(command, context => addRule(context, behavior, rule, options.session)),
    );
}

async function addRule(
  context: CommandContext,
  behavior: string,
  text: string,
  sessionId: string | undefined,
): Promise<number> {
  using client = context.connect();
  const response = await client.permissions.putRule(
    {
      rule: {
        ...parsedRule(text),
        behavior: BEHAVIORS[behavior] ?? PermissionBehavior.UNSPECIFIED,
        source: sessionId === undefined ? RuleSource.USER : RuleSource.SESSION,
        sessionId: sessionId ?? '',
      },
    },
    { signal: context.io.interrupts.signal },
  );
  const { rule, warnings } = response;
  if (rule === undefined) throw new CommandFailure('The gateway did not say which rule it kept.');
  if (context.isJson) context.writeJson(toJson(PutRuleResponseSchema, response));
  const scope = ruleSourceText(rule.source);
  context.say(
    `Kept as ${scope} rule ${escapeToOneLine(rule.ruleId)}: ${behaviorText(rule.behavior)} ${ruleText(rule)}`,
  );
  for (const warning of warnings) {
    context.say(`${context.style('yellow', 'Mind:')} ${escapeToOneLine(warning)}`);
  }
  return EXIT_CODES.ok;
}

/** `TOOL` or `TOOL(CONTENT)`; the content may hold brackets itself. */
function parsedRule(text: string): { tool: string; content: string } {
  const match = /^(?<tool>[^()]+)(?:\((?<content>.+)\))?$/s.exec(text);
  const tool = match?.groups?.['tool'];
  if (tool !== undefined) return { tool, content: match?.groups?.['content'] ?? '' };
  throw new CommandFailure(
    `"${escapeToOneLine(text)}" is no rule: write TOOL, or TOOL(CONTENT) as in 'Bash(git status:*)'.`,
    EXIT_CODES.usage,
  );
}
