import { ConnectError } from '@connectrpc/connect';
import { interruptReply } from './interrupt-reply.ts';
import type { LoopServices } from './reply-context.ts';
import type { ReplyRunner } from './reply-runner.ts';

/** Time an executor may take to free what it keeps for a session. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Interrupts a session's replies, frees what executors keep for it, and removes it from the store. */
export async function deleteSession(
  loop: { readonly services: LoopServices; readonly runner: ReplyRunner },
  sessionId: string,
  requestedBy: string,
): Promise<void> {
  const { services, runner } = loop;
  const open = await services.store.openReplies(sessionId);
  await Promise.all(
    open.map(reply => interruptReply(loop, reply, { requestedBy, reason: 'the session is deleted' })),
  );
  const ready = services.executors.statuses().filter(status => status.ready);
  await Promise.all(ready.map(status => closeOn(services, status.name, sessionId)));
  services.slots.forget(sessionId);
  const late = await services.store.openReplies(sessionId);
  await services.store.deleteSession(sessionId);
  // Replies that began meanwhile can write no more; what they run is cancelled.
  for (const { replyId } of late) runner.interrupt(replyId);
}

async function closeOn(services: LoopServices, executor: string, sessionId: string): Promise<void> {
  try {
    await services.executors
      .link(executor)
      ?.client.closeSession({ sessionId }, { timeoutMs: CLOSE_TIMEOUT_MS });
  } catch (error) {
    const problem = ConnectError.from(error).rawMessage;
    services.logger.warn({ executor, sessionId, problem }, 'executor did not close the session');
  }
}
