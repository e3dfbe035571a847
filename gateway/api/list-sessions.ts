import { Code, ConnectError } from '@connectrpc/connect';
import { sessionView } from '#gateway/agent/session-view.ts';
import type { SessionQuery, Store } from '#gateway/store/store.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { ListSessionsRequest } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { type Caller, hasScope } from './caller.ts';

const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 500;

/** One page of the sessions that the caller may see, newest first. */
export async function listSessions(
  store: Store,
  caller: Caller,
  request: ListSessionsRequest,
): Promise<{ sessions: Session[]; nextPageToken: string }> {
  const limit = Math.min(request.pageSize === 0 ? DEFAULT_PAGE : request.pageSize, LARGEST_PAGE);
  const before = request.pageToken === '' ? undefined : readPageToken(request.pageToken);
  const records = await store.sessions({
    limit: limit + 1,
    pendingOnly: request.pendingOnly,
    ...(hasScope(caller, 'approve') ? {} : { user: caller.principal }),
    ...(before === undefined ? {} : { before }),
  });
  const page = records.slice(0, limit);
  const last = page.at(-1);
  const hasMore = records.length > limit && last !== undefined;
  return {
    sessions: await Promise.all(page.map(record => sessionView(store, record))),
    nextPageToken: hasMore ? `${last.createdAtMs}.${last.sessionId}` : '',
  };
}

function readPageToken(token: string): NonNullable<SessionQuery['before']> {
  const match = /^(\d{1,16})\.(\S+)$/.exec(token);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw new ConnectError('page_token is not one that this gateway gave', Code.InvalidArgument);
  }
  return { createdAtMs: Number(match[1]), sessionId: match[2] };
}
