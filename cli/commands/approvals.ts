import { toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { PendingCallSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { listWaitingCalls } from '../approvals/pending-calls.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { approvalPanel } from '../render/approval-panel.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate approvals`. */
export function addApprovalsCommand(program: Command, perform: Perform): void {
  program
    .command('approvals')
    .description('list the calls that wait for a permission, each as a whole')
    .addHelpText('after', examples(['toolgate approvals', 'what waits, each call as a whole']))
    .action((_options: object, command: Command) => perform(command, approvals));
}

async function approvals(context: CommandContext): Promise<number> {
  using client = context.connect();
  const waiting = await listWaitingCalls(client, context.io.interrupts.signal);
  for (const { sessionId, user, agent, call } of waiting) {
    if (context.isJson) {
      context.writeJson({ sessionId, user, agent, call: toJson(PendingCallSchema, call) });
    } else {
      context.say(
        `${approvalPanel(call, context.style)}  session ${sessionId}, agent ${escapeToOneLine(agent)}, user ${escapeToOneLine(user)}\n`,
      );
    }
  }
  if (waiting.length === 0) context.say('Nothing waits for a permission.');
  else context.say('Answer with "toolgate approve CALL" or "toolgate deny CALL --reason …".');
  return EXIT_CODES.ok;
}
