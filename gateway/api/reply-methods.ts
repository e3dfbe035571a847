import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { replyView } from '#gateway/agent/end-reply.ts';
import { interruptReply } from '#gateway/agent/interrupt-reply.ts';
import { resolveCall } from '#gateway/agent/resolve-call.ts';
import { sendMessage } from '#gateway/agent/start-reply.ts';
import type { SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import type { ContentBlock } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { type ApiContext, SILENCE_MS } from './api-context.ts';
import { requireScope } from './caller.ts';
import { refusing } from './refusals.ts';
import { replyStream, throwIfDraining, throwIfEnding } from './reply-stream.ts';
import { ownSession, visibleSession } from './session-access.ts';
import { watchEvents } from './watch-events.ts';

type ReplyMethod = 'sendMessage' | 'watchSession' | 'resolve' | 'interrupt';

/** The methods of SessionService that begin, watch, answer and stop replies. */
export function replyMethods(api: ApiContext): Pick<ServiceImpl<typeof SessionService>, ReplyMethod> {
  const { services } = api;
  const { store } = services;
  return {
    async *sendMessage(request, context) {
      const caller = requireScope(context, 'use');
      throwIfDraining(api);
      const record = await ownSession(store, caller, request.sessionId);
      const { sessionId } = record;
      checkContent(request.content);
      if (request.abandonPending) {
        throw new ConnectError('abandon_pending is not implemented yet, leave it unset', Code.Unimplemented);
      }
      const { content, requestId } = request;
      const reply = await refusing(() => sendMessage(api, { sessionId, content, requestId }));
      for await (const event of replyStream(api, reply, context)) yield { event };
    },
    async *watchSession(request, context) {
      const caller = requireScope(context, 'use', 'call', 'approve');
      const { sessionId } = await visibleSession(store, caller, request.sessionId);
      const signal = AbortSignal.any([context.signal, api.endSignal]);
      const { afterSequence: after, replayOnly } = request;
      const watched = watchEvents(store, { sessionId, after, replayOnly, silenceMs: SILENCE_MS, signal });
      for await (const seen of watched) {
        yield seen.kind === 'event'
          ? { message: { case: 'event' as const, value: seen.event } }
          : { message: { case: 'keepAlive' as const, value: {} } };
      }
      throwIfEnding(api);
    },
    resolve: async (request, context) => {
      const caller = requireScope(context, 'approve');
      const record = await visibleSession(store, caller, request.sessionId);
      const { signal } = context;
      const answering = { ...api, session: record.session, approver: caller.principal, signal };
      const results = [];
      for (const answer of request.answers) {
        results.push({ callId: answer.callId, ...(await resolveCall(answering, answer)) });
      }
      return { results };
    },
    interrupt: async (request, context) => {
      const caller = requireScope(context, 'use', 'call', 'approve');
      const record = await visibleSession(store, caller, request.sessionId);
      const open = await store.openReplies(record.sessionId);
      const reply = request.replyId === '' ? open[0] : open.find(other => other.replyId === request.replyId);
      if (reply === undefined) return {};
      const by = { requestedBy: caller.principal, reason: request.reason };
      return { reply: replyView(await interruptReply(api, reply, by)) };
    },
  };
}

function checkContent(content: readonly ContentBlock[]): void {
  if (content.length === 0) throw new ConnectError('content is empty', Code.InvalidArgument);
  const unset = content.findIndex(({ block }) => block.case === undefined);
  if (unset >= 0) {
    throw new ConnectError(`content[${unset}] is neither text nor data nor link`, Code.InvalidArgument);
  }
}
