import { GATEWAY_EXECUTOR } from '#gateway/tools/gateway-tool.ts';
import { type OfferedTool, visibleTools } from '#gateway/tools/visible-tools.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { LoopServices } from './reply-context.ts';

/** Every tool there is, the gateway's own first, so that no executor can take one of their names. */
export function offeredTools(services: Pick<LoopServices, 'gatewayTools' | 'executors'>): OfferedTool[] {
  const own = services.gatewayTools.map(tool => ({
    spec: tool.spec,
    executor: GATEWAY_EXECUTOR,
    available: true,
  }));
  return [...own, ...services.executors.tools()];
}

/** The tools a session sees: what passes its agent's filter and its own. */
export function sessionTools(
  services: Pick<LoopServices, 'gatewayTools' | 'executors'>,
  session: Session,
): OfferedTool[] {
  return visibleTools(offeredTools(services), [session.agent?.toolFilter, session.toolFilter]);
}
