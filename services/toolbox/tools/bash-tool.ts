import { create } from '@bufbuild/protobuf';
import { z } from 'zod';
import {
  Outcome,
  OutcomeReason,
  type ToolResult,
  TruncationSchema,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { MatchKind, Risk } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { CallCancelled } from '#kit/call-cancelled.ts';
import { textResult } from '#kit/text-result.ts';
import type { CommandEnd, CommandRunner } from '#toolbox/shell/command-runner.ts';
import { wellFormedText } from '#toolbox/tools/text-input.ts';
import { defineTool, type Tool } from '#toolbox/tools/tool.ts';
import type { Workspace } from '#toolbox/workspace.ts';

/** What Bash works with. */
export interface BashToolOptions {
  readonly workspace: Workspace;
  readonly runner: CommandRunner;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 600_000;
/** What a call may take beyond its command: waiting for its turn, and ending what is left. */
const MARGIN_MS = 10_000;

const input = z.strictObject({
  command: wellFormedText()
    .min(1)
    .refine(text => !text.includes('\0'), 'holds a NUL character, which no script can hold')
    .describe('The script, for bash'),
  timeout: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe(`Time it may take in milliseconds; default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}`),
  description: wellFormedText().optional().describe('What the command does, in a few words, for people'),
});

/** Runs scripts. */
export function createBashTool(options: BashToolOptions): Tool {
  const { workspace, runner } = options;
  return defineTool({
    name: 'Bash',
    version: '1',
    description:
      'Runs a bash script in the sandbox and returns what it printed. The working directory persists between calls; ' +
      'variables, functions and shell options do not. Standard input is empty and nobody can answer prompts. ' +
      'The call ends when the shell ends: processes started with & go on, so send their output to a file. ' +
      'When the time is over, everything the call started is killed. Long output is cut in the middle.',
    input,
    aliases: ['bash', 'shell', 'execute_shell_command'],
    hints: { readOnly: false, concurrencySafe: false, destructive: true },
    risk: Risk.HIGH,
    matchFields: [{ pointer: '/command', kind: MatchKind.COMMAND }],
    timeoutMs: MAX_TIMEOUT_MS + MARGIN_MS,
    work: async ({ command, timeout = DEFAULT_TIMEOUT_MS }, run) => {
      const end = await runner.run(command, timeout, run, () => {
        const { boundPaths } = run.call;
        if (boundPaths.length > 0) workspace.user.run(() => workspace.requireUnchanged(boundPaths));
      });
      return describe(end);
    },
  });
}

function describe(end: CommandEnd): ToolResult {
  const { output, exit } = end;
  const verdict = verdictOf(end);
  const lines = [
    ...end.notes.map(note => `[${note}]`),
    ...(output.text === '' ? [] : [output.text.replace(/\n$/, '')]),
    ...verdict.notes.map(note => `[${note}]`),
  ];
  const text = lines.length === 0 ? '[No output.]' : lines.join('\n');
  return textResult(verdict.outcome, text, {
    reason: verdict.reason,
    ...(exit?.kind === 'EXITED' && end.stopped === undefined ? { exitCode: exit.exitCode } : {}),
    ...(exit?.kind === 'SIGNALED' ? { signal: exit.signal } : {}),
    ...(output.omittedBytes === 0
      ? {}
      : {
          truncation: create(TruncationSchema, {
            totalBytes: BigInt(output.totalBytes),
            omittedBytes: BigInt(output.omittedBytes),
          }),
        }),
    remainingPids: end.remaining.map(process => process.pid),
  });
}

interface Verdict {
  readonly outcome: Outcome;
  readonly reason: OutcomeReason;
  readonly notes: readonly string[];
}

function verdictOf(end: CommandEnd): Verdict {
  const left = end.remaining.map(process => `${process.pid} (${process.name})`).join(', ');
  return end.stopped === undefined ? verdictOfExit(end, left) : verdictOfStop(end.stopped, left);
}

function verdictOfStop(stopped: CallCancelled, left: string): Verdict {
  const isTimeout = stopped.source === 'TIME_OVER';
  const rest = left === '' ? 'everything it had started was ended' : `could not end ${left}`;
  return {
    outcome: isTimeout ? Outcome.TIMED_OUT : Outcome.INTERRUPTED,
    reason: OutcomeReason.UNSPECIFIED,
    notes: [`${isTimeout ? 'Timed out' : 'Interrupted'}: ${stopped.message}; ${rest}`],
  };
}

function verdictOfExit(end: CommandEnd, left: string): Verdict {
  const isSuccess = end.exit?.kind === 'EXITED' && end.exit.exitCode === 0;
  const notes: string[] = [];
  if (!isSuccess) notes.push(howItEnded(end));
  if (end.wasOutOfMemory) notes.push('The sandbox ran out of memory and the kernel killed a process');
  if (left !== '') notes.push(`Still running in the background: ${left}`);
  return {
    outcome: isSuccess ? Outcome.SUCCESS : Outcome.ERROR,
    reason: end.wasOutOfMemory ? OutcomeReason.OUT_OF_MEMORY : OutcomeReason.UNSPECIFIED,
    notes,
  };
}

function howItEnded(end: CommandEnd): string {
  if (end.exit?.kind === 'SIGNALED') return `Killed by ${end.exit.signal}`;
  return `Exit code ${end.exit?.exitCode ?? 'unknown'}`;
}
