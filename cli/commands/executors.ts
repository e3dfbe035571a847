import { toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { Isolation } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import {
  type ExecutorInfo,
  ExecutorInfoSchema,
  ExecutorState,
} from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { msFromDuration } from '#kit/durations.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { examples } from '../help/examples.ts';
import { nameOf, words } from '../render/enum-words.ts';
import { executorLook, executorStateText } from '../render/executor-text.ts';
import { showList, withListOptions } from '../render/list-output.ts';
import type { TableColumn } from '../render/table.ts';
import { readableSpan } from '../render/time-text.ts';
import type { Perform } from './perform.ts';

/** Adds `toolgate executors`. */
export function addExecutorsCommand(program: Command, perform: Perform): void {
  withListOptions(program.command('executors'))
    .description('list the executors with their state and what is wrong; fails when one is not ready')
    .addHelpText(
      'after',
      examples(
        ['toolgate executors --wide', 'with addresses, versions, isolation and tools'],
        ['until toolgate executors >/dev/null; do sleep 1; done', 'wait until all are ready'],
      ),
    )
    .action((_options: object, command: Command) => perform(command, executors));
}

async function executors(context: CommandContext): Promise<number> {
  using client = context.connect();
  const { executors: rows } = await client.executors.listExecutors(
    {},
    { signal: context.io.interrupts.signal },
  );
  showList(context, {
    rows,
    columns: COLUMNS,
    json: executor => toJson(ExecutorInfoSchema, executor),
    emptyText: 'The gateway has no executors: list them under "executors" in its configuration.',
  });
  return rows.every(({ state }) => state === ExecutorState.READY) ? EXIT_CODES.ok : EXIT_CODES.failed;
}

const COLUMNS: readonly TableColumn<ExecutorInfo>[] = [
  { title: 'EXECUTOR', text: ({ name }) => name },
  { title: 'STATE', text: executorStateText, look: executorLook },
  {
    title: 'SINCE',
    text: ({ since }) => (since === undefined ? '' : readableSpan(msFromDuration(since))),
    align: 'right',
  },
  { title: 'CALLS', text: ({ runningCalls }) => String(runningCalls), align: 'right', isWideOnly: true },
  { title: 'VERSION', text: ({ version }) => version, isWideOnly: true },
  { title: 'ISOLATION', text: ({ isolation }) => isolationText(isolation), isWideOnly: true },
  { title: 'ADDRESS', text: ({ address }) => address, isWideOnly: true },
  { title: 'PROBLEM', text: ({ message }) => message, mayBeCut: true },
  { title: 'TOOLS', text: ({ tools }) => tools.join(', '), mayBeCut: true },
];

function isolationText(isolation: Isolation): string {
  return isolation === Isolation.UNSPECIFIED ? '' : words(nameOf(Isolation, isolation));
}
