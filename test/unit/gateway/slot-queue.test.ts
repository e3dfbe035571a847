import { describe, expect, it } from 'vitest';
import { createSlotQueue, createSlotQueues } from '#gateway/tools/slot-queue.ts';

const never = new AbortController().signal;

/** Work that reports when it begins and ends when it is told to. */
function steeredWork(begun: string[]) {
  return (name: string) => {
    const end = Promise.withResolvers<string>();
    return {
      end: () => end.resolve(name),
      fail: () => end.reject(new Error(name)),
      work: () => {
        begun.push(name);
        return end.promise;
      },
    };
  };
}

async function settle(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve));
}

describe('the slot queue', () => {
  it('runs neighbouring shared work together and exclusive work alone, in order', async () => {
    const queue = createSlotQueue();
    const begun: string[] = [];
    const make = steeredWork(begun);
    const [a, b, lock, c] = [make('a'), make('b'), make('lock'), make('c')];
    const all = [
      queue.run('shared', a.work, never),
      queue.run('shared', b.work, never),
      queue.run('exclusive', lock.work, never),
      queue.run('shared', c.work, never),
    ];
    await settle();
    expect(begun).toEqual(['a', 'b']);
    b.end();
    await settle();
    expect(begun).toEqual(['a', 'b']);
    a.end();
    await settle();
    expect(begun).toEqual(['a', 'b', 'lock']);
    lock.end();
    await settle();
    expect(begun).toEqual(['a', 'b', 'lock', 'c']);
    c.end();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'lock', 'c']);
  });

  it('lets no shared work pass exclusive work that waits', async () => {
    const queue = createSlotQueue();
    const begun: string[] = [];
    const make = steeredWork(begun);
    const [first, lock, late] = [make('first'), make('lock'), make('late')];
    void queue.run('shared', first.work, never);
    void queue.run('exclusive', lock.work, never);
    void queue.run('shared', late.work, never);
    await settle();
    expect(begun).toEqual(['first']);
  });

  it('goes on after work that fails', async () => {
    const queue = createSlotQueue();
    const begun: string[] = [];
    const make = steeredWork(begun);
    const [bad, good] = [make('bad'), make('good')];
    const failed = queue.run('exclusive', bad.work, never);
    const done = queue.run('exclusive', good.work, never);
    bad.fail();
    await expect(failed).rejects.toThrow('bad');
    good.end();
    expect(await done).toBe('good');
  });

  it('rejects work that is aborted while it waits, never begins it, and lets those behind it go on', async () => {
    const queue = createSlotQueue();
    const begun: string[] = [];
    const make = steeredWork(begun);
    const [first, waiting, behind] = [make('first'), make('waiting'), make('behind')];
    const abort = new AbortController();
    void queue.run('shared', first.work, never);
    const aborted = queue.run('exclusive', waiting.work, abort.signal);
    void queue.run('shared', behind.work, never);
    abort.abort(new Error('no more'));
    await expect(aborted).rejects.toThrow('no more');
    await settle();
    expect(begun).toEqual(['first', 'behind']);
  });

  it('does not begin work whose signal is aborted already', async () => {
    const begun: string[] = [];
    const { work } = steeredWork(begun)('a');
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(createSlotQueue().run('shared', work, signal)).rejects.toThrow('too late');
    expect(begun).toEqual([]);
  });

  it('leaves work alone that is aborted after it began', async () => {
    const { work, end } = steeredWork([])('a');
    const abort = new AbortController();
    const done = createSlotQueue().run('shared', work, abort.signal);
    await settle();
    abort.abort();
    end();
    expect(await done).toBe('a');
  });

  it('keeps sessions apart', async () => {
    const queues = createSlotQueues();
    const begun: string[] = [];
    const make = steeredWork(begun);
    void queues.of('one').run('exclusive', make('a').work, never);
    void queues.of('two').run('exclusive', make('b').work, never);
    void queues.of('one').run('exclusive', make('c').work, never);
    await settle();
    expect(begun).toEqual(['a', 'b']);
  });
});
