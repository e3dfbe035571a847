import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import type { Change, Store } from '#gateway/store/store.ts';
import { PermissionRuleSchema, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { callPromises, eventPromises, replyPromises } from '#test/store-contract-replies.ts';
import { callRecord, hints, replyRecord, sessionRecord, userMessage } from '#test/store-records.ts';
import { begin, sequences, upTo, withSession } from '#test/store-states.ts';

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
