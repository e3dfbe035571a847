import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Which session a person wants to talk in: a new one with an agent, or one that is there already. */
export interface SessionChoice {
  readonly agent?: string;
  readonly session?: string;
  /** UNSPECIFIED leaves the mode as it is. */
  readonly mode: PermissionMode;
}

/** Begins the session, or finds it and sets its mode. */
export async function openSession(
  context: CommandContext,
  client: GatewayClient,
  choice: SessionChoice,
): Promise<Session> {
  const { signal } = context.io.interrupts;
  const session = await choose(client, choice, signal);
  if (session === undefined) throw new CommandFailure('The gateway did not send the session.');
  return session;
}

async function choose(
  client: GatewayClient,
  { agent, session: sessionId, mode }: SessionChoice,
  signal: AbortSignal,
): Promise<Session | undefined> {
  if (agent !== undefined && sessionId === undefined) {
    const created = await client.sessions.createSession(
      { agent: { case: 'agentName', value: agent }, mode },
      { signal },
    );
    return created.session;
  }
  if (sessionId === undefined || agent !== undefined) {
    throw new CommandFailure('Name an agent with --agent, or a session with --session.', EXIT_CODES.usage);
  }
  const found =
    mode === PermissionMode.UNSPECIFIED
      ? await client.sessions.getSession({ sessionId }, { signal })
      : await client.sessions.updateSession({ sessionId, mode }, { signal });
  return found.session;
}
