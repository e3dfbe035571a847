import type { Kysely } from 'kysely';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** What the store knows of tokens. */
export function tokenQueries(database: Kysely<Tables>): Pick<Store, 'tokens' | 'putTokens'> {
  return {
    tokens: async () => {
      const rows = await database.selectFrom('tokens').selectAll().execute();
      return rows.map(row => ({
        tokenId: row.token_id,
        principal: row.principal,
        scopes: row.scopes.split(' '),
        hash: row.hash,
        createdAtMs: row.created_at,
      }));
    },
    putTokens: async tokens => {
      const rows = tokens.map(token => ({
        token_id: token.tokenId,
        principal: token.principal,
        scopes: token.scopes.join(' '),
        hash: token.hash,
        created_at: token.createdAtMs,
      }));
      if (rows.length === 0) return;
      const principals = rows.map(row => row.principal);
      await database.transaction().execute(async transaction => {
        await transaction.deleteFrom('tokens').where('principal', 'in', principals).execute();
        await transaction.insertInto('tokens').values(rows).execute();
      });
    },
  };
}
