import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CreateSessionRequestSchema } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Removing a sandbox takes well under a second. */
const DELETE_TIMEOUT_MS = 10_000;
/** Time that a request under way gets after Ctrl-C to tell which session it made. */
const CREATE_GRACE_MS = 2_000;

/** A session that goes away with the work it was made for. */
export interface TemporarySession extends AsyncDisposable {
  readonly sessionId: string;
}

/**
 * Makes a session for one command; disposing deletes it, also after Ctrl-C. A Ctrl-C while it is being made waits for
 * its id, so that no session stays behind that nobody knows.
 */
export async function createTemporarySession(
  context: CommandContext,
  client: GatewayClient,
  request: MessageInitShape<typeof CreateSessionRequestSchema>,
): Promise<TemporarySession> {
  const { interrupts } = context.io;
  const sessionId = await sessionIdOf(client, request, interrupts.signal);
  const session = {
    sessionId,
    [Symbol.asyncDispose]: () => deleteSession(context, client, sessionId),
  };
  if (!interrupts.signal.aborted) return session;
  await session[Symbol.asyncDispose]();
  throw interrupts.signal.reason;
}

async function sessionIdOf(
  client: GatewayClient,
  request: MessageInitShape<typeof CreateSessionRequestSchema>,
  interrupted: AbortSignal,
): Promise<string> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const giveUpSoon = (): void => {
    timer = setTimeout(() => late.abort(interrupted.reason), CREATE_GRACE_MS);
  };
  interrupted.throwIfAborted();
  interrupted.addEventListener('abort', giveUpSoon, { once: true });
  try {
    const { session } = await client.sessions.createSession(request, { signal: late.signal });
    if (session === undefined) throw new CommandFailure('The gateway created no session.');
    return session.sessionId;
  } finally {
    clearTimeout(timer);
    interrupted.removeEventListener('abort', giveUpSoon);
  }
}

/** What became of the work matters more than a session that stays behind. */
async function deleteSession(
  context: CommandContext,
  client: GatewayClient,
  sessionId: string,
): Promise<void> {
  try {
    await client.sessions.deleteSession({ sessionId }, { timeoutMs: DELETE_TIMEOUT_MS });
  } catch {
    const id = escapeToOneLine(sessionId);
    context.io.stderr.write(
      `The session ${id} of this command could not be deleted: try "toolgate sessions delete ${id}".\n`,
    );
  }
}
