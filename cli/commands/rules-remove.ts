import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate rules remove RULE…`. */
export function addRuleRemove(rules: Command, perform: Perform): void {
  rules
    .command('remove')
    .description("forget kept rules; the operator's and an agent's are in their files")
    .argument('<rule...>', 'ids of the rules, as "toolgate rules" lists them')
    .addHelpText('after', examples(['toolgate rules remove rule_1', 'forget one rule']))
    .action((ruleIds: string[], _options: object, command: Command) =>
      perform(command, context => removeRules(context, ruleIds)),
    );
}

async function removeRules(context: CommandContext, ruleIds: readonly string[]): Promise<number> {
  using client = context.connect();
  const { signal } = context.io.interrupts;
  for (const ruleId of ruleIds) {
    await client.permissions.deleteRule({ ruleId }, { signal });
    if (context.isJson) context.writeJson({ removed: ruleId });
    context.say(`No rule ${escapeToOneLine(ruleId)} is kept any more.`);
  }
  return EXIT_CODES.ok;
}
