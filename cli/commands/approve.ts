import { type Command, InvalidArgumentError } from 'commander';
import { suggestionNumber } from '../approvals/resolve-call.ts';
import { examples } from '../help/examples.ts';
import { answerCall } from './answer-call.ts';
import type { Perform } from './perform.ts';

interface ApproveOptions {
  readonly remember?: number;
  readonly edit?: string;
}

/** Adds `toolgate approve CALL`. */
export function addApproveCommand(program: Command, perform: Perform): void {
  program
    .command('approve')
    .description('let a waiting call run')
    .argument('<call>', 'id of the call, or its beginning')
    .option('--remember <number>', 'keep the suggested rule with this number', parseNumber)
    .option('--edit <json>', 'run it with these arguments instead; they are decided about again')
    .addHelpText(
      'after',
      examples(
        ['toolgate approve call_1', 'once, as it was shown'],
        ['toolgate approve call_1 --remember 1', 'and keep the first rule that was offered'],
        [`toolgate approve call_1 --edit '{"command": "ls"}'`, 'with other arguments'],
      ),
    )
    .action((callId: string, options: ApproveOptions, command: Command) =>
      perform(command, context =>
        answerCall(context, callId, ({ call }) => ({
          kind: 'allow',
          ...(options.remember === undefined ? {} : { remember: suggestionNumber(call, options.remember) }),
          ...(options.edit === undefined ? {} : { editedArgumentsJson: options.edit }),
        })),
      ),
    );
}

function parseNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It is a number as the approval shows it.');
  return Number(text);
}
