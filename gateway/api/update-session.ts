import { Code, ConnectError } from '@connectrpc/connect';
import { checkedMode } from '#gateway/agent/create-session.ts';
import { eventMaker } from '#gateway/agent/events.ts';
import { sessionView } from '#gateway/agent/session-view.ts';
import { isMoreLenient } from '#gateway/permissions/mode.ts';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { UpdateSessionRequest } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import type { ApiContext } from './api-context.ts';
import { type Caller, hasScope } from './caller.ts';
import { visibleSession } from './session-access.ts';

/** Changes the mode or the labels of a session; the change holds from the next decision on. */
export async function updateSession(
  api: ApiContext,
  caller: Caller,
  request: UpdateSessionRequest,
): Promise<{ session: Session }> {
  const { store, now } = api.services;
  const { sessionId, session } = await visibleSession(store, caller, request.sessionId);
  if (request.activeGroups !== undefined) {
    throw new ConnectError('active_groups is not implemented yet, leave it unset', Code.Unimplemented);
  }
  const mode = request.mode === PermissionMode.UNSPECIFIED ? session.mode : checkedMode(request.mode);
  if (isMoreLenient(mode, session.mode) && !hasScope(caller, 'approve')) {
    throw new ConnectError('a more lenient mode needs the scope "approve"', Code.PermissionDenied);
  }
  const make = eventMaker('', now);
  await store.commit({
    sessionId,
    updateSession: stored => {
      stored.mode = mode;
      stored.labels = withChanges(stored.labels, request.labels);
      const { activeGroups, todos } = stored;
      const changed = { mode, activeGroups, todos, changedBy: caller.principal };
      return [make({ case: 'sessionUpdated', value: changed })];
    },
  });
  return { session: await sessionView(store, await visibleSession(store, caller, sessionId)) };
}

function withChanges(
  labels: Record<string, string>,
  changes: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...labels, ...changes }).filter(([, value]) => value !== ''));
}
