import type { CallRecord, CallState, ReplyRecord } from '#gateway/store/store.ts';
import { ReplyKind, ReplyState } from '#gen/toolgate/gateway/v1/session_pb.ts';

/** What a reply does next. */
export type Step =
  /** Nothing: it has ended. */
  | { readonly kind: 'none' }
  /** Give every open call a result and end. */
  | { readonly kind: 'stop' }
  /** Decide the calls that were not decided yet. */
  | { readonly kind: 'decide'; readonly calls: readonly CallRecord[] }
  /** Pause until somebody answers. */
  | { readonly kind: 'wait'; readonly calls: readonly CallRecord[] }
  /** Run what may run, and go on with what was running. */
  | { readonly kind: 'run'; readonly calls: readonly CallRecord[] }
  /** Ask the model, after handing it the results of these calls. */
  | { readonly kind: 'ask-model'; readonly results: readonly CallRecord[] }
  /** End because the limit of model calls is reached. */
  | { readonly kind: 'exceeded'; readonly results: readonly CallRecord[] }
  /** End because the one call of a direct call has its result. */
  | { readonly kind: 'complete' };

/**
 * Derives the next step from what is stored and from nothing else, so that a reply goes on after a crash exactly as it
 * goes on after a step. `calls` are the calls of the reply's current model call.
 */
export function nextStep(reply: ReplyRecord, calls: readonly CallRecord[], maxIterations: number): Step {
  if (reply.state === ReplyState.FINISHED) return { kind: 'none' };
  if (reply.stopRequested) return { kind: 'stop' };
  const pending = inState(calls, 'PENDING');
  if (pending.length > 0) return { kind: 'decide', calls: pending };
  const asking = inState(calls, 'ASKING');
  if (asking.length > 0) return { kind: 'wait', calls: asking };
  const open = inState(calls, 'ALLOWED', 'SUBMITTED');
  if (open.length > 0) return { kind: 'run', calls: open };
  if (reply.kind === ReplyKind.DIRECT_CALL) return { kind: 'complete' };
  const answered = calls.length > 0;
  if (answered && reply.iterations >= maxIterations) return { kind: 'exceeded', results: calls };
  return { kind: 'ask-model', results: calls };
}

function inState(calls: readonly CallRecord[], ...states: CallState[]): CallRecord[] {
  return calls.filter(call => states.includes(call.state));
}
