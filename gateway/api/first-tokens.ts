import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
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
 * Makes sure that `DATA_DIR/tokens/NAME.token` (mode 0600) opens this gateway for each first token. A file that is
 * missing or does not fit gets a new token and the old one is revoked, so a lost token is recovered, and a leaked one
 * replaced, by deleting its file and starting again. The store keeps only hashes.
 */
export async function createFirstTokens(store: Store, dataDir: string, now: () => number): Promise<void> {
  const dir = join(dataDir, 'tokens');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const known = new Set((await store.tokens()).map(token => token.hash));
  const records: TokenRecord[] = [];
  for (const { name, scopes } of FIRST_TOKENS) {
    const file = join(dir, `${name}.token`);
    if (known.has(hashToken(await textOf(file)))) continue;
    const token = `tg_${randomBytes(32).toString('base64url')}`;
    await writeFile(file, `${token}\n`, { mode: 0o600 });
    const tokenId = randomUUID();
    records.push({ tokenId, principal: name, scopes, hash: hashToken(token), createdAtMs: now() });
  }
  // All at once and last: a start that was cut short makes them all again, instead of leaving one out for ever.
  await store.putTokens(records);
}

async function textOf(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
