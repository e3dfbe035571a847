import type { ReplyRecord, Store } from '#gateway/store/store.ts';
import { hints, sessionRecord } from '#test/store-records.ts';

/** A store with these sessions besides "s". */
export async function withSession(open: () => Promise<Store>, ...sessionIds: string[]): Promise<Store> {
  const store = await open();
  for (const sessionId of ['s', ...sessionIds]) await store.createSession(sessionRecord(sessionId), []);
  return store;
}

/** Stores a reply and gives it as it is stored. */
export async function begin(store: Store, reply: ReplyRecord): Promise<ReplyRecord> {
  const { firstSequence: _, ...newReply } = reply;
  await store.commit({ sessionId: reply.sessionId, newReply, events: hints('began') });
  return (await store.reply(reply.replyId)) ?? reply;
}

/** Numbers of the events of a session. */
export async function sequences(store: Store, sessionId = 's'): Promise<number[]> {
  return (await store.events(sessionId, 0n, 10_000)).map(event => Number(event.sequence));
}

/** 1 to `last`. */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
