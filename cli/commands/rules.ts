import { toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { type PermissionRule, PermissionRuleSchema } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { showList, withListOptions } from '../render/list-output.ts';
import { behaviorLook, behaviorText, ruleSourceText, ruleText } from '../render/rule-text.ts';
import type { TableColumn } from '../render/table.ts';
import type { Perform } from './perform.ts';
import { addRuleAdd } from './rules-add.ts';
import { addRuleRemove } from './rules-remove.ts';

/** Adds `toolgate rules` with its subcommands; without one it lists. */
export function addRulesCommand(program: Command, perform: Perform): void {
  const rules = program
    .command('rules')
    .description('list, add and remove permission rules; the strictest rule that matches wins')
    .addHelpText(
      'after',
      examples(
        ['toolgate rules', "the operator's rules and your own"],
        ['toolgate rules list --session ses_1', 'every rule that holds in one session'],
        ["toolgate rules add allow 'Bash(git status:*)'", 'from now on, in all of your sessions'],
        ['toolgate rules remove rule_1', 'forget one that was kept'],
      ),
    );
  withListOptions(rules.command('list', { isDefault: true }))
    .description('list rules (also without "list")')
    .option('--session <id>', "every rule that holds in this session, the agent's too")
    .addHelpText('after', examples(['toolgate rules list --wide', 'with who made each rule']))
    .action((options: { session?: string }, command: Command) =>
      perform(command, context => listRules(context, options.session ?? '')),
    );
  addRuleAdd(rules, perform);
  addRuleRemove(rules, perform);
}

async function listRules(context: CommandContext, sessionId: string): Promise<number> {
  using client = context.connect();
  const { rules } = await client.permissions.listRules(
    { sessionId },
    { signal: context.io.interrupts.signal },
  );
  showList(context, {
    rows: rules,
    columns: COLUMNS,
    json: rule => toJson(PermissionRuleSchema, rule),
    emptyText: 'There are no rules: the mode of a session and the defaults of its tools decide.',
  });
  return EXIT_CODES.ok;
}

const COLUMNS: readonly TableColumn<PermissionRule>[] = [
  {
    title: 'DOES',
    text: ({ behavior }) => behaviorText(behavior),
    look: ({ behavior }) => behaviorLook(behavior),
  },
  { title: 'RULE', text: ruleText, mayBeCut: true },
  { title: 'FROM', text: ({ source }) => ruleSourceText(source) },
  { title: 'SESSION', text: ({ sessionId }) => sessionId, isWideOnly: true },
  { title: 'MADE BY', text: ({ createdBy }) => createdBy, isWideOnly: true },
  { title: 'ID', text: ({ ruleId }) => ruleId || '-' },
];
