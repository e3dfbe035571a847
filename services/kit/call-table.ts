import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  type ExecuteRequest,
  type ExecuteResponse,
  ExecuteResponseSchema,
} from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { ToolCall } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { Outcome, OutcomeReason, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { type CallRun, DurableCall, type DurableCallLimits } from '#kit/durable-call.ts';
import { durationFromMs } from '#kit/durations.ts';
import type { Logger } from '#kit/logger.ts';
import { textResult } from '#kit/text-result.ts';

/** Runs one call to its end. A rejection is a bug: the caller gets an INTERNAL result, the log the cause. */
export type RunCall = (run: CallRun) => Promise<ToolResult>;

/** What a call table is made of; limits left out take the defaults below. */
export interface CallTableOptions extends Partial<DurableCallLimits> {
  readonly logger: Logger;
  /** How long a result is kept after the end, for callers that come back. */
  readonly keepResultMs?: number;
  /** Milliseconds on a clock that never goes back; defaults to performance.now. */
  readonly now?: () => number;
}

const DEFAULT_LIMITS: DurableCallLimits = {
  ringBytes: 1024 * 1024,
  leaseMs: 60_000,
  keepAliveMs: 15_000,
  stallMs: 2_000,
};
const DEFAULT_KEEP_RESULT_MS = 5 * 60_000;
/** Finished calls that are kept at most, whatever their age. */
const MAX_FINISHED_CALLS = 1_000;
/** Output that all finished calls together keep; the oldest calls lose theirs first. */
const MAX_FINISHED_OUTPUT_BYTES = 8 * 1024 * 1024;

interface FinishedCall {
  readonly call: DurableCall;
  readonly endedAtMs: number;
}

/** The calls of an executor by (call_id, attempt): started once, attached to as often as wanted. */
export class CallTable implements AsyncDisposable {
  readonly #options: CallTableOptions;
  readonly #limits: DurableCallLimits;
  readonly #now: () => number;
  readonly #calls = new Map<string, DurableCall>();
  readonly #finished = new Map<string, FinishedCall>();
  #finishedOutputBytes = 0;
  #draining = false;

  constructor(options: CallTableOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...definedLimits(options) };
    this.#now = options.now ?? (() => performance.now());
  }

  /** Time a call goes on without readers, for Describe. */
  get leaseMs(): number {
    return this.#limits.leaseMs;
  }

  /** True when this run of the call is known, running or finished. */
  has(call: ToolCall): boolean {
    return this.#calls.has(keyOf(call.callId, call.attempt));
  }

  /**
   * Starts the call or attaches to it, and streams what Execute answers. With `attach` set it never starts, and an
   * unknown call ends at once with OUTCOME_UNKNOWN. `signal` is the reader's: its abort detaches, nothing more.
   */
  async *execute(
    request: ExecuteRequest,
    run: RunCall,
    signal: AbortSignal,
  ): AsyncGenerator<ExecuteResponse> {
    const call = requireCall(request);
    const known = this.#calls.get(keyOf(call.callId, call.attempt));
    if (known === undefined && request.attach !== undefined) {
      yield create(ExecuteResponseSchema, { message: { case: 'result', value: unknownResult(call.callId) } });
      return;
    }
    const durable = known ?? this.#start(call, run);
    yield* durable.follow({ attached: known !== undefined, point: request.attach }, signal);
  }

  /** Cancels a run; false when it does not run here. */
  cancel(callId: string, attempt: number, reason: string): boolean {
    const durable = this.#calls.get(keyOf(callId, attempt));
    if (durable === undefined || !durable.isRunning) return false;
    durable.cancel('REQUESTED', reason === '' ? 'cancelled' : reason);
    return true;
  }

  /** Cancels all calls of a session, waits for their ends and forgets them. */
  async closeSession(sessionId: string): Promise<void> {
    const calls = [...this.#calls].filter(([, durable]) => durable.call.context?.sessionId === sessionId);
    for (const [, durable] of calls) durable.cancel('REQUESTED', 'the session was closed');
    await Promise.all(calls.map(([, durable]) => durable.finished));
    for (const [key] of calls) this.#forget(key);
  }

  /** Refuses new calls from now on; running ones go on. */
  drain(): void {
    this.#draining = true;
  }

  /** Cancels what runs and waits for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.drain();
    for (const durable of this.#calls.values()) durable.cancel('SHUTDOWN', 'the executor is shutting down');
    await Promise.all([...this.#calls.values()].map(durable => durable.finished));
  }

  #start(call: ToolCall, run: RunCall): DurableCall {
    if (this.#draining) {
      throw new ConnectError('this executor is shutting down; nothing ran', Code.FailedPrecondition);
    }
    const durable = new DurableCall(call, this.#limits);
    const key = keyOf(call.callId, call.attempt);
    this.#calls.set(key, durable);
    const startedAtMs = this.#now();
    void run(durable)
      .catch((error: unknown) => this.#faultResult(call, error))
      .then(result => {
        result.callId = call.callId;
        result.duration ??= durationFromMs(this.#now() - startedAtMs);
        durable.finish(result);
        this.#keepFinished(key, durable);
      });
    return durable;
  }

  #faultResult(call: ToolCall, error: unknown): ToolResult {
    this.#options.logger.error(
      { err: error, callId: call.callId, tool: call.toolName },
      'call failed inside',
    );
    const text = `${call.toolName} failed for a reason inside its executor, whose log has the cause.`;
    return textResult(Outcome.ERROR, text, { reason: OutcomeReason.INTERNAL });
  }

  #keepFinished(key: string, call: DurableCall): void {
    if (this.#calls.get(key) !== call) return;
    const endedAtMs = this.#now();
    this.#finished.set(key, { call, endedAtMs });
    this.#finishedOutputBytes += call.heldBytes;
    const keepSinceMs = endedAtMs - (this.#options.keepResultMs ?? DEFAULT_KEEP_RESULT_MS);
    for (const [oldKey, old] of this.#finished) {
      const isOver = old.endedAtMs < keepSinceMs || this.#finished.size > MAX_FINISHED_CALLS;
      if (isOver) this.#forget(oldKey);
      else if (this.#finishedOutputBytes > MAX_FINISHED_OUTPUT_BYTES) this.#forgetOutput(old.call);
      else break;
    }
  }

  #forget(key: string): void {
    const old = this.#finished.get(key);
    if (old !== undefined) this.#forgetOutput(old.call);
    this.#finished.delete(key);
    this.#calls.delete(key);
  }

  #forgetOutput(call: DurableCall): void {
    this.#finishedOutputBytes -= call.heldBytes;
    call.forgetOutput();
  }
}

function keyOf(callId: string, attempt: number): string {
  return `${attempt}/${callId}`;
}

function requireCall(request: ExecuteRequest): ToolCall {
  if (request.call === undefined || request.call.callId === '') {
    throw new ConnectError('Execute needs a call with a call_id', Code.InvalidArgument);
  }
  return request.call;
}

function unknownResult(callId: string): ToolResult {
  const text = 'This call is not known here any more. It may have run, or partly; nobody can tell.';
  return textResult(Outcome.UNKNOWN, text, { callId });
}

function definedLimits(options: CallTableOptions): Partial<DurableCallLimits> {
  const { ringBytes, leaseMs, keepAliveMs, stallMs } = options;
  return Object.fromEntries(
    Object.entries({ ringBytes, leaseMs, keepAliveMs, stallMs }).filter(([, value]) => value !== undefined),
  );
}
