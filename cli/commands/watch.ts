import { type Command, InvalidArgumentError } from 'commander';
import { followSession } from '../client/follow-events.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { createEventOutput } from '../render/event-output.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate watch SESSION`. */
export function addWatchCommand(program: Command, perform: Perform): void {
  program
    .command('watch')
    .description(
      'show the events of a session, those of the past first; comes back when the connection is lost',
    )
    .argument('<session>', 'id of the session')
    .option('--after <sequence>', 'only events after this number (default: 0)', parseSequence)
    .addHelpText(
      'after',
      examples(
        ['toolgate watch ses_1', 'everything so far, then what comes'],
        ['toolgate --json watch ses_1 --after 120', 'go on after an event that was seen'],
      ),
    )
    .action((sessionId: string, options: { after?: bigint }, command: Command) =>
      perform(command, context => watch(context, sessionId, options.after ?? 0n)),
    );
}

async function watch(context: CommandContext, sessionId: string, afterSequence: bigint): Promise<number> {
  using client = context.connect();
  const output = createEventOutput(context);
  const events = followSession({
    client,
    sessionId,
    afterSequence,
    signal: context.io.interrupts.signal,
    patienceMs: Number.POSITIVE_INFINITY,
    onLoss: output.connectionLost,
  });
  for await (const event of events) output.show(event);
  context.say('The session has ended.');
  return EXIT_CODES.ok;
}

function parseSequence(text: string): bigint {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return BigInt(text);
}
