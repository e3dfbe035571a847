import type { Command } from 'commander';
import { type ExecutorInfo, ExecutorState } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { listWaitingCalls } from '../approvals/pending-calls.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { nameOf } from '../render/enum-words.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { executorLook, executorStateText } from '../render/executor-text.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate status`. */
export function addStatusCommand(program: Command, perform: Perform): void {
  program
    .command('status')
    .description('show the gateway, its executors and what waits for a permission')
    .addHelpText(
      'after',
      examples(
        ['toolgate status', 'at a glance'],
        ['toolgate --json status | jq .waitingCalls', 'how many calls wait, for a script'],
      ),
    )
    .action((_options: object, command: Command) => perform(command, status));
}

async function status(context: CommandContext): Promise<number> {
  const { signal } = context.io.interrupts;
  using client = context.connect();
  const { executors } = await client.executors.listExecutors({}, { signal });
  const waiting = await listWaitingCalls(client, signal);
  const allReady = executors.every(({ state }) => state === ExecutorState.READY);
  if (context.isJson) {
    context.writeJson({
      address: client.address,
      executors: executors.map(({ name, address, state, message, tools }) => ({
        name,
        address,
        state: nameOf(ExecutorState, state),
        message,
        tools,
      })),
      waitingCalls: waiting.length,
    });
  }
  context.say(`${context.style('bold', 'Gateway')}  ready at ${client.address}`);
  for (const executor of executors) context.say(executorLine(executor, context));
  context.say(
    waiting.length === 0
      ? 'Nothing waits for a permission.'
      : `${waiting.length === 1 ? 'One call waits' : `${waiting.length} calls wait`} for a permission: see "toolgate approvals".`,
  );
  return allReady ? EXIT_CODES.ok : EXIT_CODES.failed;
}

function executorLine(executor: ExecutorInfo, context: CommandContext): string {
  const { style } = context;
  const state = style(executorLook(executor), executorStateText(executor));
  const message = executor.message === '' ? '' : `: ${escapeToOneLine(executor.message)}`;
  const tools = executor.tools.map(escapeToOneLine).join(', ');
  return `${style('bold', 'Executor')} ${escapeToOneLine(executor.name)} ${state}${message}${tools === '' ? '' : ` with ${tools}`}`;
}
