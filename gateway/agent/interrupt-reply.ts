import { type ReplyRecord, StaleOwnerError } from '#gateway/store/store.ts';
import { ReplyState } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { eventMaker } from './events.ts';
import type { LoopServices } from './reply-context.ts';
import { fenceOf } from './reply-context.ts';
import type { ReplyRunner } from './reply-runner.ts';

/** Time an interrupted reply may take to end: cancelled calls must report first. */
const END_TIMEOUT_MS = 15_000;

/**
 * Stops a reply at whatever it does and waits for its end. Returns the reply as it then stands; one that has ended
 * already is returned as it is.
 */
export async function interruptReply(
  { services, runner }: { readonly services: LoopServices; readonly runner: ReplyRunner },
  reply: ReplyRecord,
  by: { readonly requestedBy: string; readonly reason: string },
): Promise<ReplyRecord> {
  const make = eventMaker(reply.replyId, services.now);
  try {
    await services.store.commit({
      sessionId: reply.sessionId,
      fence: fenceOf(reply),
      reply: { stopRequested: true },
      events: reply.stopRequested ? [] : [make({ case: 'stopRequested', value: { ...by } })],
    });
  } catch (error) {
    if (!(error instanceof StaleOwnerError)) throw error;
    return (await services.store.reply(reply.replyId)) ?? reply;
  }
  runner.interrupt(reply.replyId);
  return replyEnd(services, reply, AbortSignal.timeout(END_TIMEOUT_MS));
}

async function replyEnd(
  services: LoopServices,
  reply: ReplyRecord,
  signal: AbortSignal,
): Promise<ReplyRecord> {
  for (;;) {
    const changed = nextChange(services, reply.sessionId, signal);
    const now = await services.store.reply(reply.replyId);
    if (now === undefined || now.state === ReplyState.FINISHED || signal.aborted) return now ?? reply;
    await changed;
  }
}

function nextChange(services: LoopServices, sessionId: string, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const stop = services.store.onChange(sessionId, done);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
