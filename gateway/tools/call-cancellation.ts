import type { ToolCall } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import type { ExecutorLink } from '#kit/executor-client.ts';

/** Time past a call's own timeout in which its executor must have ended it. */
const TIMEOUT_MARGIN_MS = 5_000;
/** Time in which a cancelled call must have its result. */
const CANCEL_GRACE_MS = 10_000;

/** A call on an executor, as far as it can be cancelled. */
export interface CancellableCall {
  readonly link: ExecutorLink;
  readonly call: ToolCall;
  readonly timeoutMs: number;
  /** Aborted to cancel the call; the result still comes from the executor. */
  readonly cancelSignal: AbortSignal;
}

/** Cancels a call when the caller or the clock says so, and gives up when its executor does not react to that. */
export class CallCancellation implements Disposable {
  readonly #cancellable: CancellableCall;
  readonly #giveUp = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #onCancel = (): void => this.#cancel('interrupted');
  #isTimeOver = false;
  #reason = '';

  constructor(cancellable: CancellableCall) {
    this.#cancellable = cancellable;
    const { cancelSignal, timeoutMs } = cancellable;
    if (cancelSignal.aborted) this.#onCancel();
    else cancelSignal.addEventListener('abort', this.#onCancel, { once: true });
    this.#timers.push(setTimeout(() => this.#endTime(), timeoutMs + TIMEOUT_MARGIN_MS));
  }

  /** Aborted when the executor has had its time to end a cancelled call. */
  get giveUp(): AbortSignal {
    return this.#giveUp.signal;
  }

  /** True when the clock said so first: what the executor then calls an interruption is a timeout. */
  get isTimeOver(): boolean {
    return this.#isTimeOver;
  }

  /** The executor has the call now. A cancellation that overtook it, or was lost with a link, is sent once more. */
  callIsKnown(): void {
    if (this.#reason !== '') this.#send();
  }

  [Symbol.dispose](): void {
    this.#cancellable.cancelSignal.removeEventListener('abort', this.#onCancel);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #endTime(): void {
    this.#isTimeOver = this.#reason === '';
    this.#cancel('its time is over');
  }

  #cancel(reason: string): void {
    this.#reason ||= reason;
    this.#send();
    this.#timers.push(setTimeout(() => this.#giveUp.abort(), CANCEL_GRACE_MS));
  }

  #send(): void {
    const { call, link } = this.#cancellable;
    const { callId, attempt } = call;
    const request = { callId, attempt, reason: this.#reason };
    link.client.cancel(request, { timeoutMs: CANCEL_GRACE_MS }).catch(() => undefined);
  }
}
