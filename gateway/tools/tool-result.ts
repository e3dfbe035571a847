import { create } from '@bufbuild/protobuf';
import {
  Outcome,
  type OutcomeReason,
  type ToolResult,
  ToolResultSchema,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';

/** A result that the gateway itself gives: one text, an outcome and a reason. */
export function textResult(options: {
  readonly callId: string;
  readonly outcome: Outcome;
  readonly reason?: OutcomeReason;
  readonly text: string;
}): ToolResult {
  const { callId, outcome, text } = options;
  return create(ToolResultSchema, {
    callId,
    outcome,
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    content: [{ block: { case: 'text', value: { text } } }],
  });
}

/** A call that could not run, or ran and failed, told to the model in one text. */
export function errorResult(callId: string, reason: OutcomeReason, text: string): ToolResult {
  return textResult({ callId, outcome: Outcome.ERROR, reason, text });
}
