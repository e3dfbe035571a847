import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '#gateway/store/store.ts';
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
  for (const { name, scopes } of FIRST_TOKENS) {
    const token = `tg_${randomBytes(32).toString('base64url')}`;
    await writeFile(join(dir, `${name}.token`), `${token}\n`, { mode: 0o600 });
    await store.putToken({
      tokenId: randomUUID(),
      principal: name,
      scopes,
      hash: hashToken(token),
      createdAtMs: now(),
    });
  }
}
