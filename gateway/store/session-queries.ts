import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Kysely } from 'kysely';
import { PermissionRuleSchema } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { SessionSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { SessionQuery, SessionRecord, Store } from './store.ts';
import type { Tables } from './tables.ts';

/** What the store knows of sessions. */
export function sessionQueries(
  database: Kysely<Tables>,
): Pick<Store, 'createSession' | 'session' | 'sessions'> {
  const columns = ['session_id', 'user_name', 'created_at', 'body'] as const;
  return {
    createSession: (record, rules) =>
      database.transaction().execute(async transaction => {
        const { sessionId, user, createdAtMs, session } = record;
        await transaction
          .insertInto('sessions')
          .values({
            session_id: sessionId,
            user_name: user,
            created_at: createdAtMs,
            body: toBinary(SessionSchema, session),
          })
          .execute();
        for (const rule of rules) {
          await transaction
            .insertInto('rules')
            .values({
              rule_id: rule.ruleId,
              session_id: sessionId,
              body: toBinary(PermissionRuleSchema, rule),
            })
            .execute();
        }
      }),
    session: async sessionId => {
      const row = await database
        .selectFrom('sessions')
        .select(columns)
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return row === undefined ? undefined : sessionRecord(row);
    },
    sessions: async query => {
      const rows = await listing(database, query).select(columns).execute();
      return rows.map(sessionRecord);
    },
  };
}

function listing(database: Kysely<Tables>, query: SessionQuery) {
  const { user, before } = query;
  let list = database
    .selectFrom('sessions')
    .orderBy('created_at', 'desc')
    .orderBy('session_id', 'desc')
    .limit(query.limit);
  if (user !== undefined) list = list.where('user_name', '=', user);
  if (before !== undefined) {
    list = list.where(where =>
      where.or([
        where('created_at', '<', before.createdAtMs),
        where.and([where('created_at', '=', before.createdAtMs), where('session_id', '<', before.sessionId)]),
      ]),
    );
  }
  if (query.pendingOnly) {
    list = list.where('session_id', 'in', asking =>
      asking.selectFrom('calls').select('calls.session_id').where('state', '=', 'ASKING'),
    );
  }
  return list;
}

function sessionRecord(row: {
  session_id: string;
  user_name: string;
  created_at: number;
  body: Uint8Array;
}): SessionRecord {
  return {
    sessionId: row.session_id,
    user: row.user_name,
    createdAtMs: row.created_at,
    session: fromBinary(SessionSchema, row.body),
  };
}
