import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { PendingAnswerSchema, PendingCall } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { type ResolveResult, ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';

/** What a person decided about a call. */
export type CallAnswer =
  | { readonly kind: 'allow'; readonly remember?: PermissionRule; readonly editedArgumentsJson?: string }
  | { readonly kind: 'deny'; readonly reason: string };

/** Sends an answer and returns what became of it. */
export async function resolveCall(
  client: GatewayClient,
  sessionId: string,
  callId: string,
  answer: CallAnswer,
  signal: AbortSignal,
): Promise<ResolveResult> {
  const { results } = await client.sessions.resolve(
    { sessionId, answers: [{ callId, answer: answerMessage(answer) }] },
    { signal },
  );
  const [result] = results;
  if (result === undefined) throw new CommandFailure('The gateway did not say what became of the answer.');
  return result;
}

/** What became of an answer, in one line for a person. */
export function resolveResultText(result: ResolveResult): string {
  const more = result.message === '' ? '' : `: ${escapeToOneLine(result.message)}`;
  switch (result.status) {
    case ResolveStatus.ACCEPTED:
      return `The answer was taken${more}.`;
    case ResolveStatus.ALREADY_ANSWERED:
      return `The call was answered before; nothing changed${more}.`;
    case ResolveStatus.WRONG_KIND:
      return `The call waits for something else than a permission; nothing changed${more}.`;
    case ResolveStatus.UNKNOWN_CALL:
      return `No such call waits any more${more}.`;
    case ResolveStatus.DENIED:
      return `The changed call is denied${more}.`;
    case ResolveStatus.INVALID:
      return `The answer is not valid; nothing changed${more}.`;
    default:
      return `The gateway answered with status ${result.status}${more}.`;
  }
}

/** The suggestion with a number as approvals show it, ready to be remembered. */
export function suggestionNumber(call: PendingCall, number: number): PermissionRule {
  const suggestions = call.decision?.suggestions ?? [];
  const rule = suggestions[number - 1];
  if (rule === undefined) {
    throw new CommandFailure(
      suggestions.length === 0
        ? `Nothing can be remembered for call ${call.callId}: approve it without --remember.`
        : `Call ${call.callId} can be remembered in ${suggestions.length} ways: give --remember a number from 1 to ${suggestions.length}.`,
      EXIT_CODES.usage,
    );
  }
  const source = rule.source === RuleSource.USER ? RuleSource.USER : RuleSource.SESSION;
  return create(PermissionRuleSchema, { ...rule, source });
}

function answerMessage(
  answer: CallAnswer,
): NonNullable<MessageInitShape<typeof PendingAnswerSchema>['answer']> {
  if (answer.kind === 'deny') return { case: 'deny', value: { reason: answer.reason } };
  return {
    case: 'allow',
    value: {
      ...(answer.editedArgumentsJson === undefined
        ? {}
        : { editedArgumentsJson: answer.editedArgumentsJson }),
      ...(answer.remember === undefined ? {} : { remember: answer.remember }),
    },
  };
}
