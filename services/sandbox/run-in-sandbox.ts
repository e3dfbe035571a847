import { setTimeout as sleep } from 'node:timers/promises';
import type { AttachPoint, ExecuteResponse } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import {
  Outcome,
  OutcomeReason,
  OutputStream,
  type ToolResult,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { CallCancelled } from '#kit/call-cancelled.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { msFromDuration } from '#kit/durations.ts';
import { OutputCapture } from '#kit/output-capture.ts';
import { textResult } from '#kit/text-result.ts';
import type { Sandbox, SandboxEnd } from '#sandbox/sandbox.ts';

/** Time a toolbox gets to end a call that was cancelled or whose time is over; then its sandbox is removed. */
const STOP_LIMIT_MS = 10_000;
/** How long a broken stream waits for news of its sandbox before it is taken up again. */
const NEWS_OF_LOSS_MS = 1_000;
const MAX_BREAKS = 5;

/** Passes a call to the toolbox and its output back; whatever happens to the sandbox, there is a result. */
export async function runInSandbox(sandbox: Sandbox, run: CallRun): Promise<ToolResult> {
  const backstop = watchOver(sandbox, run);
  try {
    return await follow(sandbox, run);
  } finally {
    backstop.clear();
  }
}

async function follow(sandbox: Sandbox, run: CallRun): Promise<ToolResult> {
  const point = new Position();
  for (let breaks = 0; ; breaks += 1) {
    try {
      return await followStream(sandbox, run, point);
    } catch (error) {
      const end = await Promise.race([sandbox.ended, sleep(NEWS_OF_LOSS_MS, undefined)]);
      if (end !== undefined) return lostResult(end, run);
      if (breaks >= MAX_BREAKS) throw error;
    }
  }
}

/** Follows one stream to the result; throws when it breaks. */
async function followStream(sandbox: Sandbox, run: CallRun, point: Position): Promise<ToolResult> {
  const attach = point.attach();
  const request = { call: run.call, ...(attach === undefined ? {} : { attach }) };
  for await (const response of sandbox.toolbox.execute(request)) {
    const result = await take(response, run, point);
    if (result !== undefined) return result;
  }
  throw new Error('the toolbox ended the stream without a result');
}

async function take(
  response: ExecuteResponse,
  run: CallRun,
  point: Position,
): Promise<ToolResult | undefined> {
  const { message } = response;
  switch (message.case) {
    case 'accepted':
      point.isAccepted = true;
      return undefined;
    case 'output':
      point.advance(message.value.stream, Number(message.value.offset) + message.value.data.length);
      await run.output(message.value.stream, message.value.data);
      return undefined;
    case 'progress':
      run.progress(message.value);
      return undefined;
    case 'result':
      return message.value;
    default:
      return undefined;
  }
}

/** Where a broken stream is taken up again. */
class Position {
  isAccepted = false;
  readonly #next = new Map<OutputStream, number>();

  advance(stream: OutputStream, offset: number): void {
    this.#next.set(stream, offset);
  }

  /** Undefined while the toolbox may not know the call; asking again cannot run it twice. */
  attach(): Pick<AttachPoint, 'stdoutOffset' | 'stderrOffset'> | undefined {
    if (!this.isAccepted) return undefined;
    return {
      stdoutOffset: BigInt(this.#next.get(OutputStream.STDOUT) ?? 0),
      stderrOffset: BigInt(this.#next.get(OutputStream.STDERR) ?? 0),
    };
  }
}

/** Hands a cancellation on, and removes the sandbox when its toolbox does not end the call. */
function watchOver(sandbox: Sandbox, run: CallRun) {
  const timers: NodeJS.Timeout[] = [];
  const removeAfter = (ms: number): void => {
    timers.push(setTimeout(() => void sandbox.remove().catch(() => undefined), ms));
  };
  const onAbort = (): void => {
    removeAfter(STOP_LIMIT_MS);
    const reason = run.signal.reason instanceof Error ? run.signal.reason.message : 'cancelled';
    const { callId, attempt } = run.call;
    sandbox.toolbox.cancel({ callId, attempt, reason }).catch(() => undefined);
  };
  if (run.call.timeout !== undefined) removeAfter(msFromDuration(run.call.timeout) + STOP_LIMIT_MS);
  if (run.signal.aborted) onAbort();
  run.signal.addEventListener('abort', onAbort, { once: true });
  return {
    clear: (): void => {
      run.signal.removeEventListener('abort', onAbort);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** The result of a call whose sandbox ended: what it had printed, and what happened. */
function lostResult(end: SandboxEnd, run: CallRun): ToolResult {
  const capture = new OutputCapture();
  for (const { stream, data } of run.recentOutput()) capture.write(stream, data);
  const { text } = capture.finish();
  const say = (sentence: string): string =>
    text === '' ? `[${sentence}]` : `${text.replace(/\n$/, '')}\n[${sentence}]`;
  if (run.signal.reason instanceof CallCancelled) {
    return textResult(Outcome.INTERRUPTED, say(`Interrupted: ${run.signal.reason.message}`));
  }
  if (end.kind === 'REMOVED')
    return textResult(Outcome.INTERRUPTED, say('Interrupted: the sandbox was removed'));
  const isMemory = end.kind === 'OUT_OF_MEMORY';
  return textResult(
    Outcome.ERROR,
    say(
      `The sandbox was lost while this ran: ${end.detail}. The next call gets a new one with the same workspace`,
    ),
    { reason: isMemory ? OutcomeReason.OUT_OF_MEMORY : OutcomeReason.SANDBOX_LOST },
  );
}
