import { EventEmitter } from 'node:events';
import { chmodSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { Kysely, SqliteDialect } from 'kysely';
import { EventSchema } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { MessageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { ReplyState } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { applyChange } from './apply-change.ts';
import { migrate } from './migrations.ts';
import { openNodeSqlite } from './node-sqlite-database.ts';
import { callRecord, replyRecord } from './rows.ts';
import { ruleQueries } from './rule-queries.ts';
import { sessionQueries } from './session-queries.ts';
import type { Change, Store } from './store.ts';
import type { Tables } from './tables.ts';
import { tokenQueries } from './token-queries.ts';

/** Where the embedded database is and how safe a commit is. */
export interface StoreOptions {
  /** File of the database, made with mode 0600; ":memory:" keeps nothing. */
  readonly path: string;
  /** NORMAL survives a killed process, FULL also a power loss. */
  readonly synchronous: 'NORMAL' | 'FULL';
}

/** Opens the store of one gateway on the SQLite that comes with Node, and brings it to the newest shape. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const sqlite = openNodeSqlite(options.path, options.synchronous);
  if (options.path !== ':memory:') chmodSync(options.path, 0o600);
  const database = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
  await migrate(database);
  const changes = new EventEmitter().setMaxListeners(0);
  return {
    ...sessionQueries(database),
    ...replyQueries(database),
    ...eventQueries(database),
    ...ruleQueries(database),
    ...tokenQueries(database),
    commit: async (change: Change) => {
      await database.transaction().execute(transaction => applyChange(transaction, change));
      changes.emit(change.sessionId);
    },
    deleteSession: async sessionId => {
      await database.deleteFrom('sessions').where('session_id', '=', sessionId).execute();
      changes.emit(sessionId);
    },
    onChange: (sessionId, wake) => {
      changes.on(sessionId, wake);
      return () => changes.off(sessionId, wake);
    },
    [Symbol.asyncDispose]: () => database.destroy(),
  };
}

type ReplyQueries = Pick<Store, 'reply' | 'replyByRequest' | 'openReplies' | 'takeOver' | 'calls' | 'call'>;

function replyQueries(database: Kysely<Tables>): ReplyQueries {
  const replies = database.selectFrom('replies').selectAll();
  const calls = database.selectFrom('calls').selectAll();
  const one = <Row, Record>(row: Row | undefined, convert: (row: Row) => Record): Record | undefined =>
    row === undefined ? undefined : convert(row);
  return {
    reply: async replyId =>
      one(await replies.where('reply_id', '=', replyId).executeTakeFirst(), replyRecord),
    replyByRequest: async (sessionId, requestId) =>
      one(
        await replies
          .where('session_id', '=', sessionId)
          .where('request_id', '=', requestId)
          .executeTakeFirst(),
        replyRecord,
      ),
    openReplies: async sessionId => {
      const rows = await replies
        .where('session_id', '=', sessionId)
        .where('state', '!=', ReplyState.FINISHED)
        .orderBy('first_sequence')
        .execute();
      return rows.map(replyRecord);
    },
    takeOver: async owner => {
      const rows = await database
        .updateTable('replies')
        .set(update => ({ owner, epoch: update('epoch', '+', 1) }))
        .where('state', '!=', ReplyState.FINISHED)
        .returningAll()
        .execute();
      return rows.map(replyRecord);
    },
    calls: async replyId => {
      const rows = await calls
        .where('reply_id', '=', replyId)
        .orderBy('iteration')
        .orderBy('position')
        .execute();
      return rows.map(callRecord);
    },
    call: async callId => one(await calls.where('call_id', '=', callId).executeTakeFirst(), callRecord),
  };
}

function eventQueries(database: Kysely<Tables>): Pick<Store, 'events' | 'lastSequence' | 'messages'> {
  return {
    events: async (sessionId, after, limit) => {
      const rows = await database
        .selectFrom('events')
        .select('body')
        .where('session_id', '=', sessionId)
        .where('sequence', '>', Number(after))
        .orderBy('sequence')
        .limit(limit)
        .execute();
      return rows.map(row => fromBinary(EventSchema, row.body));
    },
    lastSequence: async sessionId => {
      const row = await database
        .selectFrom('sessions')
        .select('last_sequence')
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return BigInt(row?.last_sequence ?? 0);
    },
    messages: async sessionId => {
      const rows = await database
        .selectFrom('messages')
        .select('body')
        .where('session_id', '=', sessionId)
        .orderBy('position')
        .execute();
      return rows.map(row => fromBinary(MessageSchema, row.body));
    },
  };
}
