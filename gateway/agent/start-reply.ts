import { create } from '@bufbuild/protobuf';
import { type CallRecord, DuplicateRequestError, type ReplyRecord } from '#gateway/store/store.ts';
import {
  type Message,
  MessageRole,
  MessageSchema,
  TokenUsageSchema,
} from '#gen/toolgate/gateway/v1/message_pb.ts';
import { ReplyKind, ReplyState, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { ContentBlock } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { eventMaker } from './events.ts';
import type { LoopServices } from './reply-context.ts';
import type { ReplyRunner } from './reply-runner.ts';

/** What new replies are made with. */
export interface ReplyStarter {
  readonly services: LoopServices;
  readonly runner: ReplyRunner;
  /** Owner of the replies of this gateway's life. */
  readonly owner: string;
}

/**
 * Stores a user's message and begins the reply to it. A request id that was used before begins nothing and returns the
 * first reply. Throws OpenReplyError while a reply of the session runs or waits.
 */
export function sendMessage(
  starter: ReplyStarter,
  options: {
    readonly sessionId: string;
    readonly content: readonly ContentBlock[];
    readonly requestId: string;
  },
): Promise<ReplyRecord> {
  const message = create(MessageSchema, {
    role: MessageRole.USER,
    parts: options.content.map(content => ({ part: { case: 'content' as const, value: content } })),
  });
  return begin(starter, { ...options, kind: ReplyKind.MESSAGE, message });
}

/** Stores a direct call and begins to run it, once for each request id. */
export function startDirectCall(
  starter: ReplyStarter,
  options: {
    readonly sessionId: string;
    readonly toolName: string;
    readonly argumentsText: string;
    readonly timeoutMs: number;
    readonly requestId: string;
  },
): Promise<ReplyRecord> {
  const { sessionId, requestId, toolName, argumentsText, timeoutMs } = options;
  return begin(starter, {
    sessionId,
    requestId,
    kind: ReplyKind.DIRECT_CALL,
    call: { toolName, argumentsText, timeoutMs },
  });
}

interface NewReply {
  readonly sessionId: string;
  readonly requestId: string;
  readonly kind: ReplyKind;
  readonly message?: Message;
  readonly call?: Pick<CallRecord, 'toolName' | 'argumentsText' | 'timeoutMs'>;
}

async function begin(starter: ReplyStarter, wanted: NewReply): Promise<ReplyRecord> {
  const { services, runner } = starter;
  const { store } = services;
  const { sessionId, requestId } = wanted;
  const earlier = requestId === '' ? undefined : await store.replyByRequest(sessionId, requestId);
  if (earlier !== undefined) return earlier;
  const replyId = services.newId('rep');
  try {
    await writeReply(starter, replyId, wanted);
  } catch (error) {
    const first =
      error instanceof DuplicateRequestError ? await store.replyByRequest(sessionId, requestId) : undefined;
    if (first !== undefined) return first;
    throw error;
  }
  runner.wake(replyId);
  const stored = await store.reply(replyId);
  if (stored === undefined) throw new Error(`reply ${replyId} was deleted while it began`);
  return stored;
}

async function writeReply(
  { services, owner }: ReplyStarter,
  replyId: string,
  wanted: NewReply,
): Promise<void> {
  const { sessionId, requestId, kind, message } = wanted;
  const make = eventMaker(replyId, services.now);
  const call = wanted.call === undefined ? undefined : directCall(services, sessionId, replyId, wanted.call);
  const start = { kind, requestId, ...(message === undefined ? {} : { message }) };
  await services.store.commit({
    sessionId,
    newReply: {
      replyId,
      sessionId,
      kind,
      state: ReplyState.RUNNING,
      stopReason: StopReason.UNSPECIFIED,
      iterations: 0,
      usage: create(TokenUsageSchema),
      error: '',
      requestId,
      stopRequested: false,
      owner,
      epoch: 1,
    },
    messages: message === undefined ? [] : [message],
    calls: call === undefined ? [] : [call],
    events: [
      make({ case: 'replyStart', value: start }),
      ...(call === undefined
        ? []
        : [
            make({
              case: 'toolCallStart',
              value: {
                callId: call.callId,
                toolName: call.toolName,
                argumentsText: call.argumentsText,
                index: 0,
              },
            }),
          ]),
    ],
  });
}

function directCall(
  services: LoopServices,
  sessionId: string,
  replyId: string,
  call: Pick<CallRecord, 'toolName' | 'argumentsText' | 'timeoutMs'>,
): CallRecord {
  return {
    ...call,
    callId: services.newId('call'),
    sessionId,
    replyId,
    iteration: 0,
    index: 0,
    providerCallId: '',
    argumentsJson: '',
    edited: false,
    state: 'PENDING',
    boundPaths: [],
    executor: '',
    attempt: 0,
  };
}
