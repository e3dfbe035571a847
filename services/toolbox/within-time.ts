import { CallCancelled } from '#kit/call-cancelled.ts';
import type { CallRun } from '#kit/durable-call.ts';

/** The same run with a signal that also aborts after `timeoutMs`; dispose it when the run has ended. */
export function withinTime(run: CallRun, timeoutMs: number): Disposable & { readonly run: CallRun } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    const text = `the call took longer than ${Math.round(timeoutMs)} ms`;
    controller.abort(new CallCancelled('TIME_OVER', text));
  }, timeoutMs);
  return {
    run: {
      call: run.call,
      signal: AbortSignal.any([run.signal, controller.signal]),
      output: (stream, data) => run.output(stream, data),
      progress: progress => run.progress(progress),
      recentOutput: () => run.recentOutput(),
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
