import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { examples } from '../help/examples.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate doctor`. */
export function addDoctorCommand(program: Command, perform: Perform): void {
  program
    .command('doctor')
    .description('look at everything Toolgate needs and say how to mend what is wrong; changes nothing')
    .addHelpText(
      'after',
      examples(
        ['toolgate doctor', 'everything, one look a line'],
        ["toolgate --json doctor | jq -r 'select(.problem).problem'", 'only what is wrong'],
      ),
    )
    .action((_options: object, command: Command) => perform(command, doctor));
}

async function doctor(context: CommandContext): Promise<number> {
  let isWell = true;
  for await (const finding of examine(context)) {
    isWell = isWell && finding.problem === undefined;
    if (context.isJson) context.writeJson(finding);
    else context.say(findingText(finding, context));
  }
  return isWell ? EXIT_CODES.ok : EXIT_CODES.failed;
}

function findingText(finding: Finding, { style }: CommandContext): string {
  if (finding.problem === undefined) return `${style('green', '✓')} ${finding.what}`;
  return `${style('red', '✗')} ${finding.what}: ${finding.problem}`;
}
