import type { Kysely } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import type { Tables } from './tables.ts';

/** Brings a database to the newest shape; each migration runs once and is never edited after a release. */
export async function migrate(database: Kysely<Tables>): Promise<void> {
  const provider: MigrationProvider = { getMigrations: async () => ({ '001-first-tables': firstTables }) };
  const { error } = await new Migrator({ db: database, provider }).migrateToLatest();
  if (error !== undefined)
    throw new Error('the database could not be brought to this version', { cause: error });
}

const firstTables: Migration = {
  up: async (database: Kysely<unknown>) => {
    const { schema } = database;
    await schema
      .createTable('sessions')
      .addColumn('session_id', 'text', column => column.primaryKey())
      .addColumn('user_name', 'text', column => column.notNull())
      .addColumn('created_at', 'bigint', column => column.notNull())
      .addColumn('last_sequence', 'bigint', column => column.notNull().defaultTo(0))
      .addColumn('message_count', 'integer', column => column.notNull().defaultTo(0))
      .addColumn('body', 'blob', column => column.notNull())
      .execute();
    await createReplies(database);
    await createCalls(database);
    for (const [table, key] of [['messages', 'position'] as const, ['events', 'sequence'] as const]) {
      await schema
        .createTable(table)
        .addColumn('session_id', 'text', column =>
          column.notNull().references('sessions.session_id').onDelete('cascade'),
        )
        .addColumn(key, 'bigint', column => column.notNull())
        .addColumn('body', 'blob', column => column.notNull())
        .addPrimaryKeyConstraint(`${table}_key`, ['session_id', key])
        .execute();
    }
    await createRulesAndTokens(database);
  },
};

async function createReplies({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('replies')
    .addColumn('reply_id', 'text', column => column.primaryKey())
    .addColumn('session_id', 'text', column =>
      column.notNull().references('sessions.session_id').onDelete('cascade'),
    )
    .addColumn('kind', 'integer', column => column.notNull())
    .addColumn('state', 'integer', column => column.notNull())
    .addColumn('stop_reason', 'integer', column => column.notNull())
    .addColumn('iterations', 'integer', column => column.notNull())
    .addColumn('usage', 'blob', column => column.notNull())
    .addColumn('error', 'text', column => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('stop_requested', 'integer', column => column.notNull())
    .addColumn('first_sequence', 'bigint', column => column.notNull())
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('epoch', 'integer', column => column.notNull())
    .addUniqueConstraint('replies_request', ['session_id', 'request_id'])
    .execute();
  await schema.createIndex('replies_state').on('replies').columns(['session_id', 'state']).execute();
}

async function createCalls({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('calls')
    .addColumn('call_id', 'text', column => column.primaryKey())
    .addColumn('session_id', 'text', column =>
      column.notNull().references('sessions.session_id').onDelete('cascade'),
    )
    .addColumn('reply_id', 'text', column => column.notNull())
    .addColumn('iteration', 'integer', column => column.notNull())
    .addColumn('position', 'integer', column => column.notNull())
    .addColumn('provider_call_id', 'text', column => column.notNull())
    .addColumn('tool_name', 'text', column => column.notNull())
    .addColumn('arguments_text', 'text', column => column.notNull())
    .addColumn('arguments_json', 'text', column => column.notNull())
    .addColumn('edited', 'integer', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('decision', 'blob')
    .addColumn('bound_paths', 'text', column => column.notNull())
    .addColumn('result', 'blob')
    .addColumn('executor', 'text', column => column.notNull())
    .addColumn('attempt', 'integer', column => column.notNull())
    .addColumn('timeout_ms', 'integer', column => column.notNull())
    .execute();
  await schema.createIndex('calls_reply').on('calls').columns(['reply_id', 'iteration']).execute();
  await schema.createIndex('calls_state').on('calls').columns(['session_id', 'state']).execute();
}

async function createRulesAndTokens({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('rules')
    .addColumn('rule_id', 'text', column => column.primaryKey())
    .addColumn('user_name', 'text')
    .addColumn('session_id', 'text', column => column.references('sessions.session_id').onDelete('cascade'))
    .addColumn('body', 'blob', column => column.notNull())
    .execute();
  await schema
    .createTable('tokens')
    .addColumn('token_id', 'text', column => column.primaryKey())
    .addColumn('principal', 'text', column => column.notNull())
    .addColumn('scopes', 'text', column => column.notNull())
    .addColumn('hash', 'text', column => column.notNull().unique())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute();
}
