import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ConfirmationRequiredSchema, type Event, EventSchema } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { ContentBlockSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { createInlineApprover } from '../approvals/inline-approver.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { messageEvents, replyEvents } from '../client/reply-events.ts';
import { followTurn } from '../client/reply-turn.ts';
import type { CommandContext } from '../command-context.ts';

/** Sends a message and shows its reply to the end; asks about the calls in it. */
export async function takeTurn(
  context: CommandContext,
  client: GatewayClient,
  sessionId: string,
  content: readonly MessageInitShape<typeof ContentBlockSchema>[],
): Promise<void> {
  await using approver = createInlineApprover(context, client, sessionId);
  const request = { sessionId, content: [...content], requestId: randomUUID() };
  await followTurn({
    context,
    client,
    sessionId,
    begin: signal => messageEvents(client, request, signal),
    beforeShow: approver.beforeShow,
    onEvent: approver.onEvent,
  });
}

/** Shows a reply that runs or waits already, from its beginning, and asks about the calls that still wait in it. */
export async function joinTurn(
  context: CommandContext,
  client: GatewayClient,
  session: Session,
  replyId: string,
): Promise<void> {
  const { sessionId } = session;
  await using approver = createInlineApprover(context, client, sessionId);
  await followTurn({
    context,
    client,
    sessionId,
    begin: signal => replyEvents(client, sessionId, replyId, signal),
    beforeShow: approver.beforeShow,
    onEvent: event => approver.onEvent(stillWaiting(event, session)),
  });
}

/** The event without the calls that were answered before anybody joined. */
function stillWaiting(event: Event, session: Session): Event {
  if (event.event.case !== 'confirmationRequired' || event.sequence > session.lastSequence) return event;
  const waiting = new Set(session.pending.map(({ callId }) => callId));
  const calls = event.event.value.calls.filter(({ callId }) => waiting.has(callId));
  const value = create(ConfirmationRequiredSchema, { calls });
  return create(EventSchema, { ...event, event: { case: 'confirmationRequired', value } });
}
