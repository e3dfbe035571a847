import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { eventMaker } from '#gateway/agent/events.ts';
import { type WatchOptions, watchEvents } from '#gateway/api/watch-events.ts';
import { openStore } from '#gateway/store/open-store.ts';
import type { Store } from '#gateway/store/store.ts';
import { SessionSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';

const sessionId = 's';

async function storeWith(events: number): Promise<Store> {
  const store = await openStore({ path: ':memory:', synchronous: 'NORMAL' });
  await store.createSession({ sessionId, user: 'u', createdAtMs: 0, session: create(SessionSchema) }, []);
  await append(store, events);
  return store;
}

async function append(store: Store, events: number): Promise<void> {
  const make = eventMaker('', Date.now);
  const hints = Array.from({ length: events }, () => make({ case: 'hint', value: { text: 'x' } }));
  await store.commit({ sessionId, events: hints });
}

function watch(store: Store, options: Partial<WatchOptions> = {}) {
  const never = new AbortController().signal;
  return watchEvents(store, {
    sessionId,
    after: 0n,
    replayOnly: false,
    silenceMs: 60_000,
    signal: never,
    ...options,
  });
}

async function take(watched: ReturnType<typeof watch>, count: number): Promise<(bigint | 'silence')[]> {
  const seen: (bigint | 'silence')[] = [];
  while (seen.length < count) {
    const { value, done } = await watched.next();
    if (done) break;
    seen.push(value.kind === 'event' ? value.event.sequence : 'silence');
  }
  return seen;
}

describe('a watcher', () => {
  it('sees what is there, then what comes, each once and in order', async () => {
    await using store = await storeWith(2);
    const watched = watch(store);
    expect(await take(watched, 2)).toEqual([1n, 2n]);
    const next = take(watched, 3);
    await append(store, 1);
    await append(store, 2);
    expect(await next).toEqual([3n, 4n, 5n]);
    await watched.return(undefined);
  });

  it('misses nothing that is written between its look at the log and its wait', async () => {
    await using store = await storeWith(0);
    const slow: Store = {
      ...store,
      events: async (...query) => {
        const page = await store.events(...query);
        if (page.length === 0 && query[1] === 0n) await append(store, 1);
        return page;
      },
    };
    const watched = watch(slow);
    expect(await take(watched, 1)).toEqual([1n]);
    await watched.return(undefined);
  });

  it('begins after a sequence number', async () => {
    await using store = await storeWith(5);
    expect(await take(watch(store, { after: 3n, replayOnly: true }), 9)).toEqual([4n, 5n]);
  });

  it('gets every event of a log that is longer than one page', async () => {
    await using store = await storeWith(1_000);
    const seen = await take(watch(store, { replayOnly: true }), 2_000);
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, index) => BigInt(index + 1)));
  });

  it('gets a sign of life after a silence and then goes on', async () => {
    await using store = await storeWith(0);
    const watched = watch(store, { silenceMs: 5 });
    expect(await take(watched, 2)).toEqual(['silence', 'silence']);
    await append(store, 1);
    expect(await take(watched, 1)).toEqual([1n]);
    await watched.return(undefined);
  });

  it('ends when it is told to, while it waits', async () => {
    await using store = await storeWith(0);
    const leave = new AbortController();
    const ended = take(watch(store, { signal: leave.signal }), 1);
    leave.abort();
    expect(await ended).toEqual([]);
  });

  it('ends at once when it was told to before it began', async () => {
    await using store = await storeWith(3);
    expect(await take(watch(store, { signal: AbortSignal.abort() }), 1)).toEqual([]);
  });

  it('ends when the session is deleted', async () => {
    await using store = await storeWith(1);
    const ended = take(watch(store), 9);
    await store.deleteSession(sessionId);
    expect((await ended).length).toBeLessThanOrEqual(1);
  });

  it('reads no further than it is asked, so one that stops reading costs nothing', async () => {
    await using store = await storeWith(600);
    let pages = 0;
    const counted: Store = {
      ...store,
      events: (...query) => {
        pages += 1;
        return store.events(...query);
      },
    };
    const watched = watch(counted);
    await take(watched, 1);
    await append(store, 600);
    expect(pages).toBe(1);
    await watched.return(undefined);
  });

  it('leaves nothing behind in the store', async () => {
    await using store = await storeWith(1);
    let listening = 0;
    const counted: Store = {
      ...store,
      onChange: (id, wake) => {
        listening += 1;
        const stop = store.onChange(id, wake);
        return () => {
          listening -= 1;
          stop();
        };
      },
    };
    const watched = watch(counted);
    await take(watched, 1);
    expect(listening).toBe(1);
    await watched.return(undefined);
    expect(listening).toBe(0);
  });
});
