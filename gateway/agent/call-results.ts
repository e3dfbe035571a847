import { create } from '@bufbuild/protobuf';
import type { CallRecord, UnnumberedEvent } from '#gateway/store/store.ts';
import { type Message, MessageRole, MessageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { EventBody } from './events.ts';

/** The call with its result. */
export function finishedCall(call: CallRecord, result: ToolResult): CallRecord {
  return { ...call, state: 'FINISHED', result };
}

/** Events that tell how a finished call ended. */
export function callEndEvents(
  call: CallRecord,
  make: (event: EventBody) => UnnumberedEvent,
): UnnumberedEvent[] {
  const { callId, result } = call;
  if (result === undefined) return [];
  const { outcome, reason, duration, exitCode } = result;
  return [
    make({ case: 'toolResultEnd', value: { callId, result } }),
    make({
      case: 'toolCallEnd',
      value: {
        callId,
        outcome,
        reason,
        ...(duration === undefined ? {} : { duration }),
        ...(exitCode === undefined ? {} : { exitCode }),
      },
    }),
  ];
}

/** The message that answers an assistant's calls: one result for each of them, in call order. */
export function resultsMessage(calls: readonly CallRecord[]): Message {
  return create(MessageSchema, {
    role: MessageRole.TOOL,
    parts: calls.map(({ callId, toolName, result }) => ({
      part: {
        case: 'toolResult' as const,
        value: { callId, toolName, ...(result === undefined ? {} : { result }) },
      },
    })),
  });
}
