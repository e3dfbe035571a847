import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store, TokenRecord } from '#gateway/store/store.ts';
import { hashToken } from '#kit/bearer-auth.ts';
import type { Scope } from './caller.ts';

/** The tokens a new gateway has: one for the person who runs it, one for programs that must not approve themselves. */
const FIRST_TOKENS: readonly { readonly name: string; readonly scopes: readonly Scope[] }[] = [
  { name: 'owner', scopes: ['use', 'call', 'approve', 'executor', 'admin'] },
  { name: 'agent', scopes: ['use', 'call'] },
];

/**
 * Makes the first tokens of a gateway that has none, each in `DATA_DIR/tokens/NAME.token` with mode 0600. The store
 * keeps only their hashes.
 */
export async function createFirstTokens(store: Store, dataDir: string, now: () => number): Promise<void> {
  if ((await store.tokens()).length > 0) return;
  const dir = join(dataDir, 'tokens');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const records: TokenRecord[] = [];
  for (const { name, scopes } of FIRST_TOKENS) {
    const token = `tg_${randomBytes(32).toString('base64url')}`;
    await writeFile(join(dir, `${name}.token`), `${token}\n`, { mode: 0o600 });
    records.push({
      tokenId: randomUUID(),
      principal: name,
      scopes,
      hash: hashToken(token),
      createdAtMs: now(),
    });
  }
  // All at once and last: a start that was cut short makes them all again, instead of leaving one out for ever.
  await store.putTokens(records);
}
