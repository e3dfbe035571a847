import { Code, ConnectError } from '@connectrpc/connect';
import type { SessionRecord, Store } from '#gateway/store/store.ts';
import { type Caller, hasScope } from './caller.ts';

/** The session, if the caller may see it: its own, or any for those who approve. Otherwise NotFound, as if it were not there. */
export async function visibleSession(
  store: Store,
  caller: Caller,
  sessionId: string,
): Promise<SessionRecord> {
  if (sessionId === '') throw new ConnectError('session_id is empty', Code.InvalidArgument);
  const record = await store.session(sessionId);
  if (record === undefined || !(record.user === caller.principal || hasScope(caller, 'approve'))) {
    throw new ConnectError(`there is no session ${sessionId}`, Code.NotFound);
  }
  return record;
}

/** The session, if it is the caller's own or the caller is an admin. */
export async function ownSession(store: Store, caller: Caller, sessionId: string): Promise<SessionRecord> {
  const record = await visibleSession(store, caller, sessionId);
  if (record.user !== caller.principal && !hasScope(caller, 'admin')) {
    throw new ConnectError(`session ${sessionId} belongs to "${record.user}"`, Code.PermissionDenied);
  }
  return record;
}
