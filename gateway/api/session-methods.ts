import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { loadAgent } from '#gateway/agent/agent-folder.ts';
import { createSession } from '#gateway/agent/create-session.ts';
import { deleteSession } from '#gateway/agent/delete-session.ts';
import { sessionView } from '#gateway/agent/session-view.ts';
import type { AgentDefinition } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { CreateSessionRequest, SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import type { ApiContext } from './api-context.ts';
import { hasScope, requireScope } from './caller.ts';
import { listSessions } from './list-sessions.ts';
import { refusing } from './refusals.ts';
import { throwIfDraining } from './reply-stream.ts';
import { ownSession, visibleSession } from './session-access.ts';
import { updateSession } from './update-session.ts';

type SessionMethod =
  | 'createSession'
  | 'getSession'
  | 'listSessions'
  | 'updateSession'
  | 'deleteSession'
  | 'listMessages';

/** The methods of SessionService that make, show, change and end sessions. */
export function sessionMethods(api: ApiContext): Pick<ServiceImpl<typeof SessionService>, SessionMethod> {
  const { services } = api;
  const { store } = services;
  return {
    createSession: (request, context) =>
      refusing(async () => {
        const caller = requireScope(context, 'use', 'call');
        throwIfDraining(api);
        const agent = await agentOf(api, request);
        const mayBeLenient = hasScope(caller, 'approve');
        const session = await createSession(services, agent, request, {
          principal: caller.principal,
          mayBeLenient,
        });
        return { session };
      }),
    getSession: async (request, context) => {
      const caller = requireScope(context, 'use', 'call', 'approve');
      const record = await visibleSession(store, caller, request.sessionId);
      return { session: await sessionView(store, record) };
    },
    listSessions: (request, context) =>
      listSessions(store, requireScope(context, 'use', 'call', 'approve'), request),
    updateSession: (request, context) =>
      refusing(() => updateSession(api, requireScope(context, 'use', 'approve'), request)),
    deleteSession: async (request, context) => {
      const caller = requireScope(context, 'use', 'call');
      if ((await store.session(request.sessionId)) === undefined) return {};
      await ownSession(store, caller, request.sessionId);
      await deleteSession(api, request.sessionId, caller.principal);
      return {};
    },
    listMessages: async (request, context) => {
      const caller = requireScope(context, 'use', 'approve');
      const record = await visibleSession(store, caller, request.sessionId);
      return { messages: await store.messages(record.sessionId) };
    },
  };
}

async function agentOf(api: ApiContext, request: CreateSessionRequest): Promise<AgentDefinition> {
  switch (request.agent.case) {
    case 'agentName':
      return loadAgent(api.agentsDir, request.agent.value);
    case 'definition':
      return request.agent.value;
    default:
      throw new ConnectError('name an agent (agent_name) or define one (definition)', Code.InvalidArgument);
  }
}
