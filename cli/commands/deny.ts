import type { Command } from 'commander';
import { examples } from '../help/examples.ts';
import { answerCall } from './answer-call.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate deny CALL`. */
export function addDenyCommand(program: Command, perform: Perform): void {
  program
    .command('deny')
    .description('refuse a waiting call; the model reads the reason')
    .argument('<call>', 'id of the call, or its beginning')
    .requiredOption('--reason <text>', 'why it may not run')
    .addHelpText(
      'after',
      examples(['toolgate deny call_1 --reason "not on a Friday"', 'the agent reads why and goes on']),
    )
    .action((callId: string, options: { reason: string }, command: Command) =>
      perform(command, context =>
        answerCall(context, callId, () => ({ kind: 'deny', reason: options.reason })),
      ),
    );
}
