import { Code, ConnectError } from '@connectrpc/connect';
import { AgentFolderError } from '#gateway/agent/agent-folder.ts';
import { SessionRefusal } from '#gateway/agent/create-session.ts';
import { UnknownModelError } from '#gateway/models/resolve-model.ts';
import { OpenReplyError, StaleOwnerError } from '#gateway/store/store.ts';

const SESSION_CODES = {
  INVALID: Code.InvalidArgument,
  NOT_ALLOWED: Code.PermissionDenied,
  NOT_IMPLEMENTED: Code.Unimplemented,
} as const;

/** Runs a request; what the rooms below refuse in their own words gets its code. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRefusal(error);
  }
}

function asRefusal(error: unknown): unknown {
  if (error instanceof SessionRefusal) return new ConnectError(error.message, SESSION_CODES[error.reason]);
  if (error instanceof AgentFolderError) {
    return new ConnectError(
      error.message,
      error.reason === 'NOT_FOUND' ? Code.NotFound : Code.FailedPrecondition,
    );
  }
  if (error instanceof UnknownModelError) return new ConnectError(error.message, Code.InvalidArgument);
  if (error instanceof OpenReplyError) {
    return new ConnectError(
      `${error.message} in this session: wait for it, answer what it asks, or interrupt it`,
      Code.FailedPrecondition,
    );
  }
  if (error instanceof StaleOwnerError) return new ConnectError(error.message, Code.FailedPrecondition);
  return error;
}
