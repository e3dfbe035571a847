import { OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';

/** A tool cannot do what was asked. Its message is what the model reads: what, where, how to go on. */
export class ToolFailure extends Error {
  readonly reason: OutcomeReason;

  constructor(message: string, reason: OutcomeReason = OutcomeReason.UNSPECIFIED, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ToolFailure';
    this.reason = reason;
  }
}
