import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  AttachPointSchema,
  type ExecuteResponse,
  type InputRequest,
} from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import {
  Outcome,
  OutcomeReason,
  type OutputChunk,
  OutputStream,
  type Progress,
  type ToolResult,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { textResult } from '#kit/text-result.ts';
import { CallCancellation, type CancellableCall } from './call-cancellation.ts';
import { errorResult } from './error-result.ts';

/** One run of a call on an executor. */
export interface Execution extends CancellableCall {
  readonly executorName: string;
  /** Set to go on, after these bytes of its output, with a call that was handed over before; it is never started again. */
  readonly attachAt?: { readonly stdout: number; readonly stderr: number };
  /** Time the executor keeps a call whose stream broke, and so the time to come back in. */
  readonly leaseMs: number;
  /** Aborted when this process ends: stops following and rejects, without cancelling the call. */
  readonly leaveSignal: AbortSignal;
  readonly onOutput: (chunk: OutputChunk) => Promise<void>;
  readonly onProgress: (progress: Progress) => Promise<void>;
}

/** Wait between two attempts to attach again. */
const REATTACH_PAUSE_MS = 250;

/**
 * Runs a call and returns its one result, whatever happens on the way: a broken stream is attached to again for as
 * long as the executor's lease lasts, and a call nobody can tell the end of becomes OUTCOME_UNKNOWN.
 */
export async function executeCall(execution: Execution): Promise<ToolResult> {
  const { attachAt, call, cancelSignal } = execution;
  if (cancelSignal.aborted && attachAt === undefined) {
    const text = 'Nothing ran: the reply was interrupted before this call began.';
    return textResult(Outcome.INTERRUPTED, text, { callId: call.callId });
  }
  const cancellation = new CallCancellation(execution);
  try {
    return await new Follower(execution, cancellation).untilResult();
  } finally {
    cancellation[Symbol.dispose]();
  }
}

class Follower {
  readonly #execution: Execution;
  readonly #cancellation: CallCancellation;
  #accepted: boolean;
  /** What the executor itself said when the call last failed there. */
  #lastFailure = '';
  #offsets: { stdoutOffset: bigint; stderrOffset: bigint };

  constructor(execution: Execution, cancellation: CallCancellation) {
    this.#execution = execution;
    this.#cancellation = cancellation;
    const { stdout, stderr } = execution.attachAt ?? { stdout: 0, stderr: 0 };
    this.#accepted = execution.attachAt !== undefined;
    this.#offsets = { stdoutOffset: BigInt(stdout), stderrOffset: BigInt(stderr) };
  }

  async untilResult(): Promise<ToolResult> {
    let lostAt = Number.POSITIVE_INFINITY;
    let failures = 0;
    for (;;) {
      const end = await this.#followOrLose();
      if (typeof end === 'object') return end;
      failures = end === 'failed' ? failures + 1 : 0;
      lostAt = end === 'cut' ? Date.now() : Math.min(lostAt, Date.now());
      const isOver = Date.now() - lostAt > this.#execution.leaseMs || failures >= MAX_FAILURES;
      if (isOver || this.#cancellation.giveUp.aborted) return this.#lost();
      await new Promise(resolve => setTimeout(resolve, REATTACH_PAUSE_MS));
    }
  }

  /**
   * The result, or how the stream was lost: "cut" while the executor still spoke, without a word of it, or "failed" by
   * an error of the executor itself. A stream that it ends without a result counts as no word, since it promises none.
   */
  async #followOrLose(): Promise<ToolResult | 'cut' | 'silent' | 'failed'> {
    let hasSpoken = false;
    try {
      const result = await this.#followOnce(() => {
        hasSpoken = true;
      });
      return result ?? 'silent';
    } catch (error) {
      this.#execution.leaveSignal.throwIfAborted();
      const failure = ConnectError.from(error);
      if (!this.#accepted && isRefusal(failure)) return this.#refusal(failure);
      this.#accepted = true;
      this.#lastFailure = isSaid(failure) ? failure.rawMessage : '';
      if (isSaid(failure)) return 'failed';
      return hasSpoken ? 'cut' : 'silent';
    }
  }

  async #followOnce(spoken: () => void): Promise<ToolResult | undefined> {
    const { link, call, leaveSignal } = this.#execution;
    const request = { call, ...(this.#accepted ? { attach: create(AttachPointSchema, this.#offsets) } : {}) };
    const signal = AbortSignal.any([leaveSignal, this.#cancellation.giveUp]);
    for await (const response of link.client.execute(request, { signal })) {
      spoken();
      const result = await this.#take(response);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  async #take({ message }: ExecuteResponse): Promise<ToolResult | undefined> {
    switch (message.case) {
      case 'accepted':
        this.#accepted = true;
        this.#cancellation.callIsKnown();
        return undefined;
      case 'output': {
        const end = message.value.offset + BigInt(message.value.data.length);
        if (message.value.stream === OutputStream.STDERR) this.#offsets.stderrOffset = end;
        else this.#offsets.stdoutOffset = end;
        await this.#execution.onOutput(message.value);
        return undefined;
      }
      case 'progress':
        await this.#execution.onProgress(message.value);
        return undefined;
      case 'inputRequest':
        this.#decline(message.value);
        return undefined;
      case 'result':
        return this.#ended(message.value);
      default:
        return undefined;
    }
  }

  /** Nobody can be asked yet, and a call that waits for an answer would wait until its time is over. */
  #decline({ requestId }: InputRequest): void {
    const { link, call } = this.#execution;
    const answer = { case: 'declined' as const, value: 'this gateway cannot ask a person yet' };
    link.client.answer({ callId: call.callId, requestId, answer }).catch(() => undefined);
  }

  /** A result always tells how the call ended; what its executor cannot know or left open is said for it. */
  #ended(result: ToolResult): ToolResult {
    if (this.#cancellation.isTimeOver && result.outcome === Outcome.INTERRUPTED) {
      return { ...result, outcome: Outcome.TIMED_OUT };
    }
    if (result.outcome !== Outcome.UNSPECIFIED && result.outcome !== Outcome.RUNNING) return result;
    const text = `The executor "${this.#execution.executorName}" ended this call without saying how it ended.`;
    const { content } = textResult(Outcome.UNKNOWN, text);
    return { ...result, outcome: Outcome.UNKNOWN, content: [...content, ...result.content] };
  }

  #lost(): ToolResult {
    const { call, executorName } = this.#execution;
    const how = this.#lastFailure === '' ? 'was lost' : `failed (${this.#lastFailure})`;
    const text = `The executor "${executorName}" ${how} while this call ran. It may have done all, some or none of its work: look before you repeat it.`;
    return textResult(Outcome.UNKNOWN, text, {
      callId: call.callId,
      reason: OutcomeReason.EXECUTOR_LOST,
    });
  }

  #refusal(failure: ConnectError): ToolResult {
    const { call, executorName } = this.#execution;
    if (failure.code === Code.ResourceExhausted) {
      return errorResult(call.callId, OutcomeReason.RESOURCE_EXHAUSTED, `Nothing ran: ${failure.rawMessage}`);
    }
    const text = `Nothing ran: the executor "${executorName}" cannot take calls now (${failure.rawMessage}).`;
    return errorResult(call.callId, OutcomeReason.EXECUTOR_UNAVAILABLE, text);
  }
}

/**
 * Errors of an executor in a row after which a call it accepted is given up. Few, because an executor that does not
 * know `attach` starts the call again each time.
 */
const MAX_FAILURES = 3;
/** Codes of Node errors that mean: the request never left this machine. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);
/** What an executor answers instead of running a call. */
const REFUSALS = new Set([
  Code.NotFound,
  Code.FailedPrecondition,
  Code.ResourceExhausted,
  Code.Unavailable,
  Code.Unauthenticated,
  Code.PermissionDenied,
  Code.InvalidArgument,
  Code.Unimplemented,
]);

/**
 * Whether nothing can have run: the executor itself said no, or no connection came about. Any other failure may have
 * lost the executor's first answer on the way, so the call must be attached to instead of being called refused.
 */
function isRefusal(failure: ConnectError): boolean {
  const { code, cause } = failure;
  if (cause instanceof Error && 'code' in cause && NEVER_SENT.has(String(cause.code))) return true;
  return REFUSALS.has(code) && isSaid(failure);
}

/** Whether the other side sent this error; one that a lost connection makes here has no metadata. */
function isSaid({ metadata }: ConnectError): boolean {
  return [...metadata].length > 0;
}
