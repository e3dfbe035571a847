import { type CallRecord, type ReplyRecord, StaleOwnerError } from '#gateway/store/store.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { nextStep } from './next-step.ts';
import { endWithoutRunning, performStep } from './perform-step.ts';
import type { LoopServices, ReplyContext } from './reply-context.ts';
import { sessionTools } from './session-tools.ts';

interface Run {
  readonly interrupt: AbortController;
  /** Set when something changed while the run was about to pause. */
  again: boolean;
  done: Promise<void>;
}

/** Drives the replies that this gateway owns, each by its own loop. */
export class ReplyRunner {
  readonly #services: LoopServices;
  readonly #runs = new Map<string, Run>();
  readonly #leaving = new AbortController();

  constructor(services: LoopServices) {
    this.#services = services;
  }

  /** Lets a reply go on; does nothing for one that waits or has ended. */
  wake(replyId: string): void {
    if (this.#leaving.signal.aborted) return;
    const running = this.#runs.get(replyId);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const run: Run = { interrupt: new AbortController(), again: false, done: Promise.resolve() };
    this.#runs.set(replyId, run);
    run.done = this.#drive(replyId, run).finally(() => {
      this.#runs.delete(replyId);
      if (run.again) this.wake(replyId);
    });
  }

  /** Cuts short what a reply does now; its stop must have been stored before. */
  interrupt(replyId: string): void {
    this.#runs.get(replyId)?.interrupt.abort(new Error('the reply was interrupted'));
    this.wake(replyId);
  }

  /** Number of replies at work. */
  get running(): number {
    return this.#runs.size;
  }

  /** Waits at most `graceMs` for running replies, then lets go of them; they go on with the next gateway. */
  async leave(graceMs: number): Promise<void> {
    const all = Promise.all([...this.#runs.values()].map(run => run.done));
    const grace = new Promise<void>(resolve => setTimeout(resolve, graceMs).unref());
    await Promise.race([all, grace]);
    this.#leaving.abort(new Error('the gateway goes away'));
    await Promise.all([...this.#runs.values()].map(run => run.done));
  }

  async #drive(replyId: string, run: Run): Promise<void> {
    try {
      while (!this.#leaving.signal.aborted) {
        run.again = false;
        if ((await this.#step(replyId, run)) === 'pause') return;
      }
    } catch (error) {
      if (this.#leaving.signal.aborted) return;
      if (error instanceof StaleOwnerError) {
        this.#services.logger.warn({ replyId, problem: error.message }, 'let go of a reply');
        return;
      }
      this.#services.logger.error({ err: error, replyId }, 'reply failed');
      await this.#endFailed(replyId, run);
    }
  }

  async #step(replyId: string, run: Run): Promise<'go on' | 'pause'> {
    const found = await this.#load(replyId, run);
    if (found === undefined) return 'pause';
    const { context, calls } = found;
    const ownLimit = context.session.agent?.maxIterations ?? 0;
    const limit = this.#services.limits.maxIterations;
    const maxIterations = ownLimit > 0 ? Math.min(ownLimit, limit) : limit;
    try {
      return await performStep(context, nextStep(context.reply, calls, maxIterations), calls);
    } catch (error) {
      // The stop is stored, so the next look at the reply sees it.
      if (error === run.interrupt.signal.reason) return 'go on';
      throw error;
    }
  }

  async #load(
    replyId: string,
    run: Run,
  ): Promise<{ context: ReplyContext; calls: readonly CallRecord[] } | undefined> {
    const { store } = this.#services;
    const reply = await store.reply(replyId);
    const session = reply === undefined ? undefined : await store.session(reply.sessionId);
    if (reply === undefined || session === undefined) return undefined;
    const context: ReplyContext = {
      services: this.#services,
      reply,
      session: session.session,
      user: session.user,
      tools: sessionTools(this.#services, session.session),
      interruptSignal: run.interrupt.signal,
      leaveSignal: this.#leaving.signal,
    };
    return { context, calls: currentCalls(reply, await store.calls(replyId)) };
  }

  /** A fault of the gateway ends the reply, and every call still gets a result. */
  async #endFailed(replyId: string, run: Run): Promise<void> {
    try {
      const found = await this.#load(replyId, run);
      if (found === undefined) return;
      const text = 'the gateway failed while it worked on this reply; its log has the cause';
      await endWithoutRunning(found.context, found.calls, StopReason.ERROR, text);
    } catch (error) {
      this.#services.logger.error({ err: error, replyId }, 'reply could not be ended');
    }
  }
}

function currentCalls(reply: ReplyRecord, calls: readonly CallRecord[]): CallRecord[] {
  return calls.filter(call => call.iteration === reply.iterations);
}
