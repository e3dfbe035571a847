import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { LoopServices } from './reply-context.ts';

/** Every rule that holds in a session: the operator's, the agent's, the user's and the session's own. */
export async function sessionRules(
  services: Pick<LoopServices, 'store' | 'policyRules'>,
  session: Session,
): Promise<PermissionRule[]> {
  const kept = await services.store.rules(session.user, session.sessionId);
  return [...services.policyRules, ...(session.agent?.rules ?? []), ...kept];
}
