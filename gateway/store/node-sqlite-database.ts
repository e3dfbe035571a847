import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Prepared statements that are kept; the store has fewer distinct ones. */
const STATEMENT_CACHE_SIZE = 256;

/**
 * `node:sqlite` in the shape Kysely's SQLite dialect wants. `synchronous` NORMAL survives a killed process; FULL also
 * a power loss, at about 3 ms a commit instead of 0.01 ms.
 */
export function openNodeSqlite(path: string, synchronous: 'NORMAL' | 'FULL'): SqliteDatabase {
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON;`);
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare: sql => {
      const known = cache.get(sql);
      if (known !== undefined) return known;
      const prepared = asKyselyStatement(database.prepare(sql));
      const statement = /^rollback$/i.test(sql) ? whenNeeded(prepared, database) : prepared;
      if (cache.size >= STATEMENT_CACHE_SIZE) cache.clear();
      cache.set(sql, statement);
      return statement;
    },
  };
}

/**
 * SQLite itself rolls back on some errors, such as a full disk; a second rollback would fail and hide the first error.
 */
function whenNeeded(rollback: SqliteStatement, database: DatabaseSync): SqliteStatement {
  return {
    ...rollback,
    run: parameters =>
      database.isTransaction ? rollback.run(parameters) : { changes: 0, lastInsertRowid: 0 },
  };
}

function asKyselyStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: parameters => statement.all(...values(parameters)),
    run: parameters => statement.run(...values(parameters)),
    iterate: parameters => statement.iterate(...values(parameters)),
  };
}
