import type { CallRecord } from '#gateway/store/store.ts';
import type { OfferedTool } from '#gateway/tools/visible-tools.ts';
import { findTool } from '#gateway/tools/visible-tools.ts';
import type { ReplyContext } from './reply-context.ts';
import { runCall } from './run-call.ts';

/**
 * Runs calls in call order through the session's slot queue: neighbouring concurrency-safe ones together, others
 * alone. Settles when all have; calls whose turn had not come when the reply was interrupted stay as they are.
 */
export async function runCalls(context: ReplyContext, calls: readonly CallRecord[]): Promise<void> {
  const { services, reply, tools, interruptSignal, leaveSignal } = context;
  const queue = services.slots.of(reply.sessionId);
  const signal = AbortSignal.any([interruptSignal, leaveSignal]);
  const turns = calls.map(call => {
    const kind = slotKind(findTool(tools, call.toolName));
    return queue.run(kind, () => runCall(context, call), signal);
  });
  const outcomes = await Promise.allSettled(turns);
  leaveSignal.throwIfAborted();
  const failed = outcomes.find(outcome => outcome.status === 'rejected' && outcome.reason !== signal.reason);
  if (failed?.status === 'rejected') throw failed.reason;
}

function slotKind(tool: OfferedTool | undefined): 'shared' | 'exclusive' {
  return tool?.spec.hints?.concurrencySafe === false ? 'exclusive' : 'shared';
}
