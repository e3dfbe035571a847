import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate sessions delete SESSION…`. */
export function addSessionDelete(sessions: Command, perform: Perform): void {
  sessions
    .command('delete')
    .description('end sessions: interrupts what runs, frees their sandboxes, forgets their history')
    .argument('<session...>', 'ids of the sessions')
    .addHelpText(
      'after',
      examples(
        ['toolgate sessions delete ses_1', 'end one session'],
        [
          'toolgate --json sessions --all | jq -r \'select(.agent.name=="demo").sessionId\' | xargs -r toolgate sessions delete',
          'end every session of one agent',
        ],
      ),
    )
    .action((sessionIds: string[], _options: object, command: Command) =>
      perform(command, context => deleteSessions(context, sessionIds)),
    );
}

async function deleteSessions(context: CommandContext, sessionIds: readonly string[]): Promise<number> {
  using client = context.connect();
  const { signal } = context.io.interrupts;
  for (const sessionId of sessionIds) {
    // Deleting succeeds for what is not there; whoever mistyped an id wants to know.
    await client.sessions.getSession({ sessionId }, { signal });
    await client.sessions.deleteSession({ sessionId }, { signal });
    if (context.isJson) context.writeJson({ deleted: sessionId });
    context.say(`Session ${escapeToOneLine(sessionId)} is deleted.`);
  }
  return EXIT_CODES.ok;
}
