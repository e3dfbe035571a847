import { create } from '@bufbuild/protobuf';
import { eventMaker } from '#gateway/agent/events.ts';
import type {
  CallRecord,
  ReplyFence,
  ReplyRecord,
  SessionRecord,
  UnnumberedEvent,
} from '#gateway/store/store.ts';
import {
  type Message,
  MessageRole,
  MessageSchema,
  TokenUsageSchema,
} from '#gen/toolgate/gateway/v1/message_pb.ts';
import { ReplyKind, ReplyState, SessionSchema, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { textContent } from '#test/agent-turn.ts';

/** A session to store. */
export function sessionRecord(sessionId: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return { sessionId, user: 'u', createdAtMs: 0, session: create(SessionSchema, { sessionId }), ...fields };
}

/** A reply to store. */
export function replyRecord(
  sessionId: string,
  replyId: string,
  fields: Partial<ReplyRecord> = {},
): ReplyRecord {
  return {
    replyId,
    sessionId,
    kind: ReplyKind.MESSAGE,
    state: ReplyState.RUNNING,
    stopReason: StopReason.UNSPECIFIED,
    iterations: 0,
    usage: create(TokenUsageSchema),
    error: '',
    requestId: '',
    stopRequested: false,
    firstSequence: 0n,
    owner: 'owner',
    epoch: 1,
    ...fields,
  };
}

/** The fence that its owner writes with. */
export function fenceOf({ replyId, owner, epoch }: ReplyRecord): ReplyFence {
  return { replyId, owner, epoch };
}

/** A call to store. */
export function callRecord(
  { sessionId, replyId }: ReplyRecord,
  callId: string,
  fields: Partial<CallRecord> = {},
): CallRecord {
  return {
    callId,
    sessionId,
    replyId,
    iteration: 1,
    index: 0,
    providerCallId: 'provider',
    toolName: 'tool',
    argumentsText: '{}',
    argumentsJson: '',
    edited: false,
    state: 'PENDING',
    boundPaths: [],
    executor: '',
    attempt: 0,
    timeoutMs: 0,
    ...fields,
  };
}

/** Events that say these texts. */
export function hints(...texts: string[]): UnnumberedEvent[] {
  const make = eventMaker('', () => 0);
  return texts.map(text => make({ case: 'hint', value: { text } }));
}

/** A message that says this text. */
export function userMessage(text: string): Message {
  const parts = textContent(text).map(value => ({ part: { case: 'content' as const, value } }));
  return create(MessageSchema, { role: MessageRole.USER, parts });
}
