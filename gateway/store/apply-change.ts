import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Transaction } from 'kysely';
import { EventSchema } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { MessageSchema, TokenUsageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { ReplyKind, ReplyState, SessionSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { callRow, replyRow } from './rows.ts';
import { putRule } from './rule-queries.ts';
import {
  CallMovedError,
  type Change,
  DuplicateRequestError,
  OpenReplyError,
  type ReplyFence,
  type ReplyPatch,
  StaleOwnerError,
  type UnnumberedEvent,
} from './store.ts';
import type { RepliesTable, Tables } from './tables.ts';

/** Writes a change inside a transaction; the caller commits or rolls back. */
export async function applyChange(transaction: Transaction<Tables>, change: Change): Promise<void> {
  if (change.expect !== undefined) await checkExpectation(transaction, change.expect);
  if (change.fence !== undefined) await checkAndPatchReply(transaction, change.fence, change.reply ?? {});
  const { sessionId, updateSession } = change;
  const announced =
    updateSession === undefined ? [] : await changeSession(transaction, sessionId, updateSession);
  const events = [...(change.events ?? []), ...announced];
  const firstSequence = await appendEvents(transaction, sessionId, events);
  if (change.newReply !== undefined) {
    await checkNewReply(transaction, change.newReply);
    const row = replyRow({ ...change.newReply, firstSequence: BigInt(firstSequence) });
    await transaction.insertInto('replies').values(row).execute();
  }
  if (change.messages !== undefined && change.messages.length > 0) await appendMessages(transaction, change);
  for (const call of change.calls ?? []) {
    const { call_id: _, ...changes } = callRow(call);
    await transaction
      .insertInto('calls')
      .values(callRow(call))
      .onConflict(conflict => conflict.column('call_id').doUpdateSet(changes))
      .execute();
  }
  if (change.keepRule !== undefined) await putRule(transaction, change.keepRule.rule, change.keepRule.user);
}

async function changeSession(
  transaction: Transaction<Tables>,
  sessionId: string,
  update: NonNullable<Change['updateSession']>,
): Promise<readonly UnnumberedEvent[]> {
  const row = await transaction
    .selectFrom('sessions')
    .select('body')
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  if (row === undefined) throw new StaleOwnerError(`session ${sessionId} was deleted`);
  const session = fromBinary(SessionSchema, row.body);
  const events = update(session);
  await transaction
    .updateTable('sessions')
    .set({ body: toBinary(SessionSchema, session) })
    .where('session_id', '=', sessionId)
    .execute();
  return events;
}

async function checkExpectation(
  transaction: Transaction<Tables>,
  expected: NonNullable<Change['expect']>,
): Promise<void> {
  const row = await transaction
    .selectFrom('calls')
    .select('state')
    .where('call_id', '=', expected.callId)
    .executeTakeFirst();
  if (row?.state !== expected.state)
    throw new CallMovedError(`call ${expected.callId} is no longer ${expected.state}`);
}

async function checkNewReply(
  transaction: Transaction<Tables>,
  reply: Change['newReply'] & object,
): Promise<void> {
  const ofSession = transaction
    .selectFrom('replies')
    .select('reply_id')
    .where('session_id', '=', reply.sessionId);
  if (reply.requestId !== '') {
    const same = await ofSession.where('request_id', '=', reply.requestId).executeTakeFirst();
    if (same !== undefined) throw new DuplicateRequestError(`request ${reply.requestId} was made before`);
  }
  if (reply.kind === ReplyKind.MESSAGE) {
    const open = await ofSession
      .where('kind', '=', ReplyKind.MESSAGE)
      .where('state', '!=', ReplyState.FINISHED)
      .executeTakeFirst();
    if (open !== undefined) throw new OpenReplyError(open.reply_id);
  }
}

async function checkAndPatchReply(
  transaction: Transaction<Tables>,
  fence: ReplyFence,
  patch: ReplyPatch,
): Promise<void> {
  const changes: Partial<RepliesTable> = {
    epoch: fence.epoch,
    ...(patch.state === undefined ? {} : { state: patch.state }),
    ...(patch.stopReason === undefined ? {} : { stop_reason: patch.stopReason }),
    ...(patch.iterations === undefined ? {} : { iterations: patch.iterations }),
    ...(patch.usage === undefined ? {} : { usage: toBinary(TokenUsageSchema, patch.usage) }),
    ...(patch.error === undefined ? {} : { error: patch.error }),
    ...(patch.stopRequested === undefined ? {} : { stop_requested: patch.stopRequested ? 1 : 0 }),
  };
  const result = await transaction
    .updateTable('replies')
    .set(changes)
    .where('reply_id', '=', fence.replyId)
    .where('owner', '=', fence.owner)
    .where('epoch', '=', fence.epoch)
    .where('state', '!=', ReplyState.FINISHED)
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) {
    throw new StaleOwnerError(
      `reply ${fence.replyId} has ended or no longer belongs to epoch ${fence.epoch} of ${fence.owner}`,
    );
  }
}

/** Numbers the events and writes them; returns the sequence that the first one got or would have got. */
async function appendEvents(
  transaction: Transaction<Tables>,
  sessionId: string,
  events: readonly UnnumberedEvent[],
): Promise<number> {
  const row = await transaction
    .updateTable('sessions')
    .set(update => ({ last_sequence: update('last_sequence', '+', events.length) }))
    .where('session_id', '=', sessionId)
    .returning('last_sequence')
    .executeTakeFirst();
  if (row === undefined) throw new StaleOwnerError(`session ${sessionId} was deleted`);
  const first = row.last_sequence - events.length + 1;
  if (events.length > 0) {
    const rows = events.map((event, index) => ({
      session_id: sessionId,
      sequence: first + index,
      body: toBinary(
        EventSchema,
        create(EventSchema, { ...event, sessionId, sequence: BigInt(first + index) }),
      ),
    }));
    await transaction.insertInto('events').values(rows).execute();
  }
  return first;
}

async function appendMessages(transaction: Transaction<Tables>, change: Change): Promise<void> {
  const messages = change.messages ?? [];
  const { message_count: count } = await transaction
    .updateTable('sessions')
    .set(update => ({ message_count: update('message_count', '+', messages.length) }))
    .where('session_id', '=', change.sessionId)
    .returning('message_count')
    .executeTakeFirstOrThrow();
  const rows = messages.map((message, index) => ({
    session_id: change.sessionId,
    position: count - messages.length + index,
    body: toBinary(MessageSchema, message),
  }));
  await transaction.insertInto('messages').values(rows).execute();
}
