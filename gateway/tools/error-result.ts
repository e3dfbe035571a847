import { Outcome, type OutcomeReason, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { textResult } from '#kit/text-result.ts';

/** A call that could not run, or ran and failed, told to the model in one text. */
export function errorResult(callId: string, reason: OutcomeReason, text: string): ToolResult {
  return textResult(Outcome.ERROR, text, { callId, reason });
}
