import { Kysely, SqliteDialect } from 'kysely';
import { expect, it } from 'vitest';
import { openNodeSqlite } from '#gateway/store/node-sqlite-database.ts';

interface Notes {
  notes: { text: string };
}

it('a database that is full says so, and goes on reading and writing once there is room', async () => {
  const sqlite = openNodeSqlite(':memory:', 'NORMAL');
  const database = new Kysely<Notes>({ dialect: new SqliteDialect({ database: sqlite }) });
  await database.schema.createTable('notes').addColumn('text', 'text').execute();
  sqlite.prepare('PRAGMA max_page_count = 8').all([]);
  const fill = () =>
    database.transaction().execute(async transaction => {
      for (let round = 0; round < 100; round += 1) {
        await transaction
          .insertInto('notes')
          .values({ text: 'x'.repeat(1000) })
          .execute();
      }
    });
  await expect(fill()).rejects.toThrow('full');
  expect(await database.selectFrom('notes').selectAll().execute()).toEqual([]);
  sqlite.prepare('PRAGMA max_page_count = 1000').all([]);
  await fill();
  expect((await database.selectFrom('notes').selectAll().execute()).length).toBe(100);
  await database.destroy();
});
