import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '#gateway/store/open-store.ts';
import type { Store } from '#gateway/store/store.ts';
import { describeStore } from '#test/store-contract.ts';
import { hints, sessionRecord } from '#test/store-records.ts';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'toolgate-store-'));
});

afterAll(() => rm(dir, { recursive: true }));

function openFile(path = join(dir, `${randomUUID()}.db`)): Promise<Store> {
  return openStore({ path, synchronous: 'NORMAL' });
}

describeStore('the store in memory', () => openStore({ path: ':memory:', synchronous: 'NORMAL' }));
describeStore('the store in a file', openFile);

describe('the file of a store', () => {
  it('can be read by its owner only, and so can the files beside it', async () => {
    const path = join(dir, 'private.db');
    await using store = await openFile(path);
    await store.createSession(sessionRecord('s'), []);
    const names = (await readdir(dir)).filter(name => name.startsWith('private.db'));
    const modes = await Promise.all(names.map(async name => (await stat(join(dir, name))).mode & 0o777));
    expect(names.sort()).toEqual(['private.db', 'private.db-shm', 'private.db-wal']);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  it('holds everything when it is opened again', async () => {
    const path = join(dir, 'again.db');
    const token = { tokenId: 't', principal: 'p', scopes: ['use', 'call'], hash: 'h', createdAtMs: 1 };
    const first = await openFile(path);
    await first.createSession(sessionRecord('s'), []);
    await first.commit({ sessionId: 's', events: hints('a', 'b') });
    await first.putTokens([token]);
    await first[Symbol.asyncDispose]();
    await using second = await openFile(path);
    expect((await second.events('s', 0n, 9)).length).toBe(2);
    expect(await second.tokens()).toEqual([token]);
  });

  it('is shared by two stores without numbers that collide', async () => {
    const path = join(dir, 'shared.db');
    await using one = await openFile(path);
    await using two = await openFile(path);
    await one.createSession(sessionRecord('s'), []);
    const stores = [one, two, one, two, one, two, one, two];
    for (const store of stores) await store.commit({ sessionId: 's', events: hints('x') });
    const seen = (await one.events('s', 0n, 99)).map(event => Number(event.sequence));
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
