import { toJson } from '@bufbuild/protobuf';
import { ResolveResultSchema, ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { findAnsweredCall } from '../approvals/answered-call.ts';
import { findWaitingCall, type WaitingCall } from '../approvals/pending-calls.ts';
import { type CallAnswer, resolveCall, resolveResultText } from '../approvals/resolve-call.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { callSummary } from '../render/call-lines.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';

/** Answers a waiting call and says what became of it. Succeeds only when the call goes on by this answer. */
export async function answerCall(
  context: CommandContext,
  callId: string,
  answerFor: (waiting: WaitingCall) => CallAnswer,
): Promise<number> {
  const { signal } = context.io.interrupts;
  using client = context.connect();
  const waiting = await findWaitingCall(client, callId, signal);
  if (waiting === undefined) {
    const answered = await findAnsweredCall(client, callId, signal);
    if (answered === undefined) {
      throw new CommandFailure(
        `No call ${escapeToOneLine(callId)} waits for a permission: "toolgate approvals" lists those that do.`,
        EXIT_CODES.usage,
      );
    }
    if (context.isJson) context.writeJson(toJson(ResolveResultSchema, answered.result));
    throw new CommandFailure(answered.text);
  }
  const { call, sessionId } = waiting;
  const result = await resolveCall(client, sessionId, call.callId, answerFor(waiting), signal);
  if (context.isJson) context.writeJson(toJson(ResolveResultSchema, result));
  context.say(callSummary(call.toolName, call.argumentsJson, context.style));
  context.say(resolveResultText(result));
  if (result.status === ResolveStatus.DENIED) return EXIT_CODES.denied;
  return result.status === ResolveStatus.ACCEPTED ? EXIT_CODES.ok : EXIT_CODES.failed;
}
