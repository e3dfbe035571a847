import { type PendingCall, PendingKind, type Session } from '#gen/toolgate/gateway/v1/session_pb.ts';

/** What a session does now: "idle", "running", or what it waits for. */
export function sessionStateText(session: Session): string {
  const { pending, activeReply } = session;
  if (pending.length === 0) return activeReply === undefined ? 'idle' : 'running';
  const kinds = [...new Set(pending.map(({ kind }) => kind))];
  return kinds.map(kind => `waits for ${waitText(kind, countOf(pending, kind))}`).join(', ');
}

/** How the state of a session looks. */
export function sessionLook(session: Session): 'yellow' | 'green' | 'dim' {
  if (session.pending.length > 0) return 'yellow';
  return session.activeReply === undefined ? 'dim' : 'green';
}

/** The labels of a session as "name=value", sorted by name. */
export function labelsText(session: Session): string {
  return Object.entries(session.labels)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(', ');
}

function countOf(pending: readonly PendingCall[], kind: PendingKind): number {
  return pending.filter(call => call.kind === kind).length;
}

function waitText(kind: PendingKind, count: number): string {
  switch (kind) {
    case PendingKind.PERMISSION:
      return count === 1 ? 'a permission' : `${count} permissions`;
    case PendingKind.EXTERNAL_EXECUTION:
      return count === 1 ? 'a result of its client' : `${count} results of its client`;
    case PendingKind.QUESTION:
      return count === 1 ? 'an answer' : `${count} answers`;
    default:
      return 'something this version does not know';
  }
}
