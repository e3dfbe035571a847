import { clone } from '@bufbuild/protobuf';
import type { SessionRecord, Store } from '#gateway/store/store.ts';
import { type Session, SessionSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { pendingView } from './decide-calls.ts';
import { replyView } from './end-reply.ts';

/** A session as clients see it: what is stored, and what can be derived from its replies and calls. */
export async function sessionView(store: Store, record: SessionRecord): Promise<Session> {
  const { sessionId } = record;
  const open = await store.openReplies(sessionId);
  const calls = (await Promise.all(open.map(reply => store.calls(reply.replyId)))).flat();
  const view = clone(SessionSchema, record.session);
  view.lastSequence = await store.lastSequence(sessionId);
  view.pending = calls.filter(call => call.state === 'ASKING').map(pendingView);
  const active = open[0];
  if (active !== undefined) view.activeReply = replyView(active);
  return view;
}
