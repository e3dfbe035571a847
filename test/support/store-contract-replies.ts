import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import {
  CallMovedError,
  type Change,
  DuplicateRequestError,
  OpenReplyError,
  type ReplyRecord,
  StaleOwnerError,
  type Store,
} from '#gateway/store/store.ts';
import { ReplyKind, ReplyState, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { BoundPathSchema } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { Outcome, ToolResultSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { callRecord, fenceOf, hints, replyRecord, userMessage } from '#test/store-records.ts';
import { begin, sequences, upTo, withSession } from '#test/store-states.ts';

/** What a store promises of events. */
export function eventPromises(open: () => Promise<Store>): void {
  it('are numbered without gaps when many commits come at once', async () => {
    await using store = await withSession(open, 'other');
    const commits = upTo(60).map(number => {
      const texts = upTo(number % 4).map(String);
      return store.commit({ sessionId: number % 2 === 0 ? 's' : 'other', events: hints(...texts) });
    });
    await Promise.all(commits);
    for (const sessionId of ['s', 'other']) {
      const seen = await sequences(store, sessionId);
      expect(seen).toEqual(upTo(seen.length));
      expect(await store.lastSequence(sessionId)).toBe(BigInt(seen.length));
    }
    expect((await sequences(store)).length).toBe(30);
  });

  it('leave no gap and nothing else behind when their commit is refused', async () => {
    await using store = await withSession(open);
    await store.commit({ sessionId: 's', events: hints('one') });
    const refused = store.commit({
      sessionId: 's',
      events: hints('lost'),
      messages: [userMessage('lost')],
      fence: { replyId: 'none', owner: 'o', epoch: 1 },
    });
    await expect(refused).rejects.toBeInstanceOf(StaleOwnerError);
    await store.commit({ sessionId: 's', events: hints('two') });
    expect(await sequences(store)).toEqual([1, 2]);
    expect(await store.messages('s')).toEqual([]);
  });

  it('are read in pages, each with its session and number', async () => {
    await using store = await withSession(open);
    await store.commit({ sessionId: 's', events: hints('a', 'b', 'c') });
    const page = await store.events('s', 1n, 1);
    expect(page.map(event => [event.sessionId, event.sequence])).toEqual([['s', 2n]]);
    expect(await store.events('s', 3n, 10)).toEqual([]);
    expect(await store.events('s', 2n ** 64n - 1n, 10)).toEqual([]);
  });

  it('of a deleted session cannot be written', async () => {
    await using store = await withSession(open);
    await store.deleteSession('s');
    await expect(store.commit({ sessionId: 's', events: hints('late') })).rejects.toBeInstanceOf(
      StaleOwnerError,
    );
    expect(await store.session('s')).toBeUndefined();
  });

  it('wake whoever waits for a change of their session, once it can be read, until they leave', async () => {
    await using store = await withSession(open, 'other');
    const woken: bigint[] = [];
    const stop = store.onChange('s', () => {
      void store.lastSequence('s').then(last => woken.push(last));
    });
    await store.commit({ sessionId: 'other', events: hints('a') });
    await store.commit({ sessionId: 's', events: hints('a') });
    await store.lastSequence('s');
    stop();
    await store.commit({ sessionId: 's', events: hints('b') });
    expect(woken).toEqual([1n]);
  });
}

/** What a store promises of replies. */
export function replyPromises(open: () => Promise<Store>): void {
  it('remember the sequence of their first event', async () => {
    await using store = await withSession(open);
    await store.commit({ sessionId: 's', events: hints('before') });
    expect((await begin(store, replyRecord('s', 'r'))).firstSequence).toBe(2n);
  });

  it.each<[string, Partial<ReplyRecord>]>([
    ['another owner', { owner: 'other' }],
    ['an earlier epoch', { epoch: 0 }],
    ['a later epoch', { epoch: 2 }],
  ])('take no write of %s', async (_name, fields) => {
    await using store = await withSession(open);
    const reply = await begin(store, replyRecord('s', 'r'));
    const change: Change = {
      sessionId: 's',
      fence: fenceOf({ ...reply, ...fields }),
      reply: { iterations: 7 },
    };
    await expect(store.commit(change)).rejects.toBeInstanceOf(StaleOwnerError);
    expect((await store.reply('r'))?.iterations).toBe(0);
  });

  it('take no write after their end', async () => {
    await using store = await withSession(open);
    const reply = await begin(store, replyRecord('s', 'r'));
    const fence = fenceOf(reply);
    const end = { state: ReplyState.FINISHED, stopReason: StopReason.COMPLETED };
    await store.commit({ sessionId: 's', fence, reply: end });
    await expect(store.commit({ sessionId: 's', fence, reply: end })).rejects.toBeInstanceOf(StaleOwnerError);
  });

  it('to messages come one at a time, also when two are sent at once', async () => {
    await using store = await withSession(open);
    const both = await Promise.allSettled([
      begin(store, replyRecord('s', 'a')),
      begin(store, replyRecord('s', 'b')),
    ]);
    expect(both.map(outcome => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find(outcome => outcome.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(OpenReplyError);
    const [open1] = await store.openReplies('s');
    expect(refused?.reason.replyId).toBe(open1?.replyId);
  });

  it('of direct calls run beside others', async () => {
    await using store = await withSession(open);
    await begin(store, replyRecord('s', 'message'));
    for (const id of ['one', 'two'])
      await begin(store, replyRecord('s', id, { kind: ReplyKind.DIRECT_CALL }));
    expect((await store.openReplies('s')).map(reply => reply.replyId)).toEqual(['message', 'one', 'two']);
  });

  it('of one request id are one, even after its end, and per session', async () => {
    await using store = await withSession(open, 'other');
    const first = await begin(store, replyRecord('s', 'a', { requestId: 'q' }));
    const again = replyRecord('s', 'b', { requestId: 'q' });
    await expect(begin(store, again)).rejects.toBeInstanceOf(DuplicateRequestError);
    await store.commit({ sessionId: 's', fence: fenceOf(first), reply: { state: ReplyState.FINISHED } });
    await expect(begin(store, again)).rejects.toBeInstanceOf(DuplicateRequestError);
    await begin(store, replyRecord('other', 'c', { requestId: 'q' }));
    expect((await store.replyByRequest('s', 'q'))?.replyId).toBe('a');
    expect((await store.replyByRequest('other', 'q'))?.replyId).toBe('c');
    expect(await store.replyByRequest('s', 'none')).toBeUndefined();
  });

  it('without a request id are never taken for one another', async () => {
    await using store = await withSession(open);
    for (const id of ['a', 'b']) await begin(store, replyRecord('s', id, { kind: ReplyKind.DIRECT_CALL }));
    expect((await store.openReplies('s')).length).toBe(2);
  });

  it('that are open go to the next owner under a new epoch, and their old owner can write no more', async () => {
    await using store = await withSession(open, 'other');
    const old = await begin(store, replyRecord('s', 'open'));
    const ended = await begin(store, replyRecord('other', 'ended'));
    await store.commit({ sessionId: 'other', fence: fenceOf(ended), reply: { state: ReplyState.FINISHED } });
    const taken = await store.takeOver('next');
    expect(taken.map(({ replyId, owner, epoch }) => [replyId, owner, epoch])).toEqual([['open', 'next', 2]]);
    const write = (reply: ReplyRecord): Promise<void> =>
      store.commit({ sessionId: 's', fence: fenceOf(reply), events: hints('write') });
    await expect(write(old)).rejects.toBeInstanceOf(StaleOwnerError);
    await write((await store.reply('open')) ?? old);
    expect((await store.reply('ended'))?.owner).toBe('owner');
  });
}

/** What a store promises of calls. */
export function callPromises(open: () => Promise<Store>): void {
  it('come back as they were written', async () => {
    await using store = await withSession(open);
    const reply = await begin(store, replyRecord('s', 'r'));
    const call = callRecord(reply, 'c', {
      argumentsText: '{"n":9007199254740993}',
      argumentsJson: '{"n":9007199254740993}',
      edited: true,
      state: 'FINISHED',
      boundPaths: [create(BoundPathSchema, { path: 'a', realPath: '/a' })],
      result: create(ToolResultSchema, { callId: 'c', outcome: Outcome.SUCCESS, exitCode: 0 }),
      executor: 'e',
      attempt: 2,
      timeoutMs: 9,
    });
    await store.commit({ sessionId: 's', calls: [call] });
    expect(await store.call('c')).toEqual(call);
    expect(await store.call('none')).toBeUndefined();
  });

  it('are listed in the order of their model calls and positions', async () => {
    await using store = await withSession(open);
    const reply = await begin(store, replyRecord('s', 'r'));
    const places = [
      [2, 0],
      [1, 1],
      [1, 0],
    ] as const;
    const calls = places.map(([iteration, index]) =>
      callRecord(reply, `${iteration}.${index}`, { iteration, index }),
    );
    await store.commit({ sessionId: 's', calls });
    expect((await store.calls('r')).map(call => call.callId)).toEqual(['1.0', '1.1', '2.0']);
  });

  it('move once, however many try at the same time', async () => {
    await using store = await withSession(open);
    const reply = await begin(store, replyRecord('s', 'r'));
    const asking = callRecord(reply, 'c', { state: 'ASKING' });
    await store.commit({ sessionId: 's', calls: [asking] });
    const answers = await Promise.allSettled(
      upTo(5).map(number =>
        store.commit({
          sessionId: 's',
          fence: fenceOf(reply),
          expect: { callId: 'c', state: 'ASKING' },
          calls: [{ ...asking, state: 'ALLOWED', attempt: number }],
          events: hints(`answer ${number}`),
        }),
      ),
    );
    const refused = answers.filter(answer => answer.status === 'rejected');
    expect(refused.length).toBe(4);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(CallMovedError);
    expect(await sequences(store)).toEqual([1, 2]);
  });

  it('that are not there meet no expectation', async () => {
    await using store = await withSession(open);
    const change: Change = { sessionId: 's', expect: { callId: 'none', state: 'ASKING' } };
    await expect(store.commit(change)).rejects.toBeInstanceOf(CallMovedError);
  });
}
