import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { AttachPointSchema, type ExecuteResponse } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { ToolCall } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import {
  Outcome,
  OutcomeReason,
  type OutputChunk,
  OutputStream,
  type Progress,
  type ToolResult,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { ExecutorLink } from '#kit/executor-client.ts';
import { textResult } from '#kit/text-result.ts';
import { errorResult } from './error-result.ts';

/** One run of a call on an executor. */
export interface Execution {
  readonly link: ExecutorLink;
  readonly executorName: string;
  readonly call: ToolCall;
  /** True to go on with a call that was handed over before; it is never started again. */
  readonly attachOnly: boolean;
  /** Time the executor keeps a call whose stream broke, and so the time to come back in. */
  readonly leaseMs: number;
  readonly timeoutMs: number;
  /** Aborted to cancel the call; the result still comes from the executor. */
  readonly cancelSignal: AbortSignal;
  /** Aborted when this process ends: stops following and rejects, without cancelling the call. */
  readonly leaveSignal: AbortSignal;
  readonly onOutput: (chunk: OutputChunk) => Promise<void>;
  readonly onProgress: (progress: Progress) => Promise<void>;
}

/** Time past a call's own timeout in which its executor must have ended it. */
const TIMEOUT_MARGIN_MS = 5_000;
/** Time in which a cancelled call must have its result. */
const CANCEL_GRACE_MS = 10_000;
/** Wait between two attempts to attach again. */
const REATTACH_PAUSE_MS = 250;

/**
 * Runs a call and returns its one result, whatever happens on the way: a broken stream is attached to again for as
 * long as the executor's lease lasts, and a call nobody can tell the end of becomes OUTCOME_UNKNOWN.
 */
export async function executeCall(execution: Execution): Promise<ToolResult> {
  const limits = limitsOf(execution);
  const follow = new Follower(execution, limits.giveUp);
  try {
    return await follow.untilResult();
  } finally {
    limits.stop();
  }
}

/** Cancels when the caller or the clock says so, and gives up when the executor does not react to it. */
function limitsOf({ link, call, cancelSignal, timeoutMs }: Execution): {
  giveUp: AbortSignal;
  stop: () => void;
} {
  const giveUp = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const cancel = (reason: string) => (): void => {
    const { callId, attempt } = call;
    link.client.cancel({ callId, attempt, reason }, { timeoutMs: CANCEL_GRACE_MS }).catch(() => undefined);
    timers.push(setTimeout(() => giveUp.abort(), CANCEL_GRACE_MS));
  };
  const onCancel = cancel('interrupted');
  if (cancelSignal.aborted) onCancel();
  else cancelSignal.addEventListener('abort', onCancel, { once: true });
  timers.push(setTimeout(cancel('its time is over'), timeoutMs + TIMEOUT_MARGIN_MS));
  return {
    giveUp: giveUp.signal,
    stop: () => {
      cancelSignal.removeEventListener('abort', onCancel);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

class Follower {
  readonly #execution: Execution;
  readonly #giveUp: AbortSignal;
  #accepted: boolean;
  #offsets = { stdoutOffset: 0n, stderrOffset: 0n };

  constructor(execution: Execution, giveUp: AbortSignal) {
    this.#execution = execution;
    this.#giveUp = giveUp;
    this.#accepted = execution.attachOnly;
  }

  async untilResult(): Promise<ToolResult> {
    const { call, executorName, leaseMs, leaveSignal } = this.#execution;
    let lostAt: number | undefined;
    for (;;) {
      try {
        const result = await this.#followOnce(() => {
          lostAt = undefined;
        });
        if (result !== undefined) return result;
      } catch (error) {
        leaveSignal.throwIfAborted();
        const failure = ConnectError.from(error);
        if (!this.#accepted && isRefusal(failure)) return this.#refusal(failure);
        this.#accepted = true;
      }
      lostAt ??= Date.now();
      if (this.#giveUp.aborted || Date.now() - lostAt > leaseMs) {
        const text = `The executor "${executorName}" was lost while this call ran. It may have done all, some or none of its work: look before you repeat it.`;
        return textResult(Outcome.UNKNOWN, text, {
          callId: call.callId,
          reason: OutcomeReason.EXECUTOR_LOST,
        });
      }
      await new Promise(resolve => setTimeout(resolve, REATTACH_PAUSE_MS));
    }
  }

  async #followOnce(connected: () => void): Promise<ToolResult | undefined> {
    const { link, call, leaveSignal } = this.#execution;
    const request = { call, ...(this.#accepted ? { attach: create(AttachPointSchema, this.#offsets) } : {}) };
    const signal = AbortSignal.any([leaveSignal, this.#giveUp]);
    for await (const response of link.client.execute(request, { signal })) {
      connected();
      const result = await this.#take(response);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  async #take({ message }: ExecuteResponse): Promise<ToolResult | undefined> {
    switch (message.case) {
      case 'accepted':
        this.#accepted = true;
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
      case 'result':
        return message.value;
      default:
        return undefined;
    }
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

/** Codes of Node errors that mean: the request never left this machine. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Whether nothing can have run: the executor itself said no, or no connection came about. Any other failure may have
 * lost the executor's first answer on the way, so the call must be attached to instead of being called refused.
 */
function isRefusal(failure: ConnectError): boolean {
  const { cause } = failure;
  if (!(cause instanceof Error)) return true;
  return 'code' in cause && NEVER_SENT.has(String(cause.code));
}
