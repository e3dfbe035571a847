import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { bringDown } from '../processes/bring-up.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate down`. */
export function addDownCommand(program: Command, perform: Perform): void {
  program
    .command('down')
    .description('stop gateway and sandbox executor; sessions and their history stay in the data folder')
    .addHelpText(
      'after',
      examples(['toolgate down', 'stop; "toolgate up" starts again with everything that was stored']),
    )
    .action((_options: object, command: Command) => perform(command, down));
}

async function down(context: CommandContext): Promise<number> {
  const { io, folder } = context;
  const lines = await bringDown({
    folder,
    output: context.isJson ? io.stderr : io.stdout,
    signal: io.interrupts.signal,
  });
  for (const line of lines) context.say(line);
  if (lines.length === 0) context.say('Nothing runs.');
  else context.say('What was stored is kept; Docker is left as it is. Start again with "npm start".');
  if (context.isJson) context.writeJson({ stopped: lines });
  return EXIT_CODES.ok;
}
