import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { unknownTool } from '#gateway/agent/judge-call.ts';
import { offeredTools, sessionTools } from '#gateway/agent/session-tools.ts';
import { startDirectCall } from '#gateway/agent/start-reply.ts';
import { findTool, visibleTools } from '#gateway/tools/visible-tools.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { CallToolRequest, ToolService } from '#gen/toolgate/gateway/v1/tool_service_pb.ts';
import { OutcomeReason, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { msFromDuration } from '#kit/durations.ts';
import type { ApiContext } from './api-context.ts';
import { requireScope } from './caller.ts';
import { refusing } from './refusals.ts';
import { replyStream, throwIfDraining } from './reply-stream.ts';
import { ownSession, visibleSession } from './session-access.ts';

/** Tools without a model, as `toolgate.gateway.v1.ToolService` describes them. */
export function toolService(api: ApiContext): ServiceImpl<typeof ToolService> {
  const { services } = api;
  return {
    listTools: async (request, context) => {
      const caller = requireScope(context, 'use', 'call', 'approve');
      if (request.sessionId === '') return { tools: visibleTools(offeredTools(services), []) };
      const { session } = await visibleSession(services.store, caller, request.sessionId);
      return { tools: sessionTools(services, session) };
    },
    async *callTool(request, context) {
      const caller = requireScope(context, 'call');
      throwIfDraining(api);
      const { sessionId, session } = await ownSession(services.store, caller, request.sessionId);
      if (!(await wasMade(api, request))) checkCall(api, session, request);
      const timeoutMs = request.timeout === undefined ? 0 : msFromDuration(request.timeout);
      const { toolName, argumentsJson: argumentsText, requestId } = request;
      const reply = await refusing(() =>
        startDirectCall(api, { sessionId, toolName, argumentsText, timeoutMs, requestId }),
      );
      let refusal: ToolResult | undefined;
      for await (const event of replyStream(api, reply, context)) {
        yield { event };
        const { event: body } = event;
        if (
          body.case === 'toolResultEnd' &&
          body.value.result?.reason === OutcomeReason.EXECUTOR_UNAVAILABLE
        ) {
          refusal = body.value.result;
        }
      }
      if (refusal !== undefined) throw new ConnectError(textOf(refusal), Code.Unavailable);
    },
  };
}

/** A call that was made before is shown again, whatever became of its tool since. */
async function wasMade(
  { services }: ApiContext,
  { sessionId, requestId }: CallToolRequest,
): Promise<boolean> {
  return requestId !== '' && (await services.store.replyByRequest(sessionId, requestId)) !== undefined;
}

/** What a model would be told in a result is an error for a client: it named the tool and wrote the arguments. */
function checkCall({ services }: ApiContext, session: Session, request: CallToolRequest): void {
  const tools = sessionTools(services, session);
  const tool = findTool(tools, request.toolName);
  if (tool === undefined) {
    const someUnreached = services.executors.statuses().some(status => status.description === undefined);
    const code = someUnreached ? Code.Unavailable : Code.NotFound;
    throw new ConnectError(unknownTool(services, tools, request.toolName), code);
  }
  const checked = services.checkArguments(tool.spec, request.argumentsJson);
  if (!checked.ok) throw new ConnectError(checked.problem, Code.InvalidArgument);
  if (request.timeout !== undefined && msFromDuration(request.timeout) <= 0) {
    throw new ConnectError('timeout must be more than 0', Code.InvalidArgument);
  }
}

function textOf(result: ToolResult): string {
  return result.content.flatMap(({ block }) => (block.case === 'text' ? [block.value.text] : [])).join('\n');
}
