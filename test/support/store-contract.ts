import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  CallMovedError,
  type Change,
  DuplicateRequestError,
  OpenReplyError,
  type ReplyRecord,
  StaleOwnerError,
  type Store,
} from '#gateway/store/store.ts';
import { PermissionRuleSchema, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { ReplyKind, ReplyState, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { BoundPathSchema } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { Outcome, ToolResultSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { callRecord, fenceOf, hints, replyRecord, sessionRecord, userMessage } from '#test/store-records.ts';

/** What every store promises; `open` gives an empty one. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    describe('events', () => eventPromises(open));
    describe('replies', () => replyPromises(open));
    describe('calls', () => callPromises(open));
    describe('sessions', () => sessionPromises(open));
    describe('rules', () => rulePromises(open));
  });
}

async function withSession(open: () => Promise<Store>, ...sessionIds: string[]): Promise<Store> {
  const store = await open();
  for (const sessionId of ['s', ...sessionIds]) await store.createSession(sessionRecord(sessionId), []);
  return store;
}

async function begin(store: Store, reply: ReplyRecord): Promise<ReplyRecord> {
  const { firstSequence: _, ...newReply } = reply;
  await store.commit({ sessionId: reply.sessionId, newReply, events: hints('began') });
  return (await store.reply(reply.replyId)) ?? reply;
}

async function sequences(store: Store, sessionId = 's'): Promise<number[]> {
  return (await store.events(sessionId, 0n, 10_000)).map(event => Number(event.sequence));
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

function eventPromises(open: () => Promise<Store>): void {
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

function replyPromises(open: () => Promise<Store>): void {
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

function callPromises(open: () => Promise<Store>): void {
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

function sessionPromises(open: () => Promise<Store>): void {
  it('are listed newest first, page by page, whoever was created in the same millisecond', async () => {
    await using store = await open();
    for (const [id, createdAtMs] of [
      ['a', 1],
      ['b', 2],
      ['c', 2],
      ['d', 2],
      ['e', 3],
    ] as const) {
      await store.createSession(sessionRecord(id, { createdAtMs }), []);
    }
    const seen: string[] = [];
    for (let before: { createdAtMs: number; sessionId: string } | undefined; ; ) {
      const page = await store.sessions({
        limit: 2,
        pendingOnly: false,
        ...(before === undefined ? {} : { before }),
      });
      seen.push(...page.map(record => record.sessionId));
      before = page.at(-1);
      if (before === undefined) break;
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it('are listed by user, and by whether something in them waits', async () => {
    await using store = await open();
    await store.createSession(sessionRecord('mine', { user: 'me' }), []);
    await store.createSession(sessionRecord('yours', { user: 'you' }), []);
    const reply = await begin(store, replyRecord('yours', 'r'));
    await store.commit({ sessionId: 'yours', calls: [callRecord(reply, 'c', { state: 'ASKING' })] });
    const list = async (query: { user?: string; pendingOnly: boolean }) =>
      (await store.sessions({ limit: 9, ...query })).map(record => record.sessionId);
    expect(await list({ user: 'me', pendingOnly: false })).toEqual(['mine']);
    expect(await list({ pendingOnly: true })).toEqual(['yours']);
    expect(await list({ user: 'me', pendingOnly: true })).toEqual([]);
  });

  it('keep the changes of two writers at once', async () => {
    await using store = await withSession(open);
    const label = (key: string): Change => ({
      sessionId: 's',
      updateSession: session => {
        session.labels[key] = 'set';
        return hints(key);
      },
    });
    await Promise.all(upTo(8).map(number => store.commit(label(`k${number}`))));
    expect(Object.keys((await store.session('s'))?.session.labels ?? {}).length).toBe(8);
    expect(await sequences(store)).toEqual(upTo(8));
  });

  it('keep their messages in order', async () => {
    await using store = await withSession(open);
    await store.commit({ sessionId: 's', messages: [userMessage('a'), userMessage('b')] });
    await store.commit({ sessionId: 's', messages: [userMessage('c')] });
    expect(await store.messages('s')).toEqual([userMessage('a'), userMessage('b'), userMessage('c')]);
  });

  it('take everything of theirs along when they are deleted, and nothing of others', async () => {
    await using store = await withSession(open, 'other');
    for (const sessionId of ['s', 'other']) {
      const reply = await begin(store, replyRecord(sessionId, `r-${sessionId}`));
      const rule = ruleOf(`rule-${sessionId}`, RuleSource.SESSION, sessionId);
      await store.putRule(rule, 'u');
      await store.commit({
        sessionId,
        messages: [userMessage('x')],
        calls: [callRecord(reply, `c-${sessionId}`)],
      });
    }
    await store.deleteSession('s');
    await store.deleteSession('s');
    expect(await store.reply('r-s')).toBeUndefined();
    expect(await store.call('c-s')).toBeUndefined();
    expect(await store.rule('rule-s')).toBeUndefined();
    expect(await store.messages('s')).toEqual([]);
    expect(await sequences(store, 's')).toEqual([]);
    expect(await store.call('c-other')).toBeDefined();
    expect(await store.rule('rule-other')).toBeDefined();
    expect(await sequences(store, 'other')).toEqual([1]);
  });
}

function ruleOf(ruleId: string, source: RuleSource, sessionId = '') {
  const behavior = PermissionBehavior.ALLOW;
  return create(PermissionRuleSchema, { ruleId, tool: 't', behavior, source, sessionId });
}

function rulePromises(open: () => Promise<Store>): void {
  it('hold for their user or their session and for nobody else', async () => {
    await using store = await withSession(open, 'other');
    await store.putRule(ruleOf('mine', RuleSource.USER), 'me');
    await store.putRule(ruleOf('here', RuleSource.SESSION, 's'), 'me');
    const ids = async (user: string, sessionId: string) =>
      (await store.rules(user, sessionId)).map(rule => rule.ruleId);
    expect(await ids('me', 's')).toEqual(['here', 'mine']);
    expect(await ids('me', '')).toEqual(['mine']);
    expect(await ids('you', 's')).toEqual(['here']);
    expect(await ids('you', 'other')).toEqual([]);
    await store.deleteRule('mine');
    await store.deleteRule('mine');
    expect(await ids('me', '')).toEqual([]);
  });

  it('that come with a session or a commit are kept with it or not at all', async () => {
    await using store = await open();
    await store.createSession(sessionRecord('s'), [ruleOf('first', RuleSource.SESSION, 's')]);
    const keep = (ruleId: string, change: Partial<Change>): Promise<void> =>
      store.commit({
        sessionId: 's',
        keepRule: { rule: ruleOf(ruleId, RuleSource.USER), user: 'me' },
        ...change,
      });
    await keep('kept', {});
    await expect(keep('lost', { expect: { callId: 'none', state: 'ASKING' } })).rejects.toThrow();
    expect((await store.rules('me', 's')).map(rule => rule.ruleId)).toEqual(['first', 'kept']);
  });
}
