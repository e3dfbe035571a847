import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { z } from 'zod';
import type { ToolCall } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { Outcome, OutcomeReason, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { type MatchKind, type ToolSpec, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { CallCancelled } from '#kit/call-cancelled.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { durationFromMs } from '#kit/durations.ts';
import { textResult } from '#kit/text-result.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';

/** One tool of the toolbox. */
export interface Tool {
  readonly spec: ToolSpec;
  /** Checks the arguments and runs the call; whatever the tool cannot do is in the result. */
  run(run: CallRun): Promise<ToolResult>;
}

/** What a tool is made of. */
export interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** A strict object: unknown keys are refused. */
  readonly input: Input;
  readonly aliases: readonly string[];
  readonly hints: MessageInitShape<typeof ToolSpecSchema>['hints'];
  readonly risk: ToolSpec['risk'];
  readonly matchFields: readonly { readonly pointer: string; readonly kind: MatchKind }[];
  /** Longest run of one call; the gateway's default where it is left out. */
  readonly timeoutMs?: number;
  readonly work: (input: z.output<Input>, run: CallRun) => Promise<ToolResult>;
}

/** Makes a tool: its schema for the model and its check of what comes are the same zod object. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const spec = create(ToolSpecSchema, {
    name: definition.name,
    version: definition.version,
    description: definition.description,
    inputSchemaJson: JSON.stringify(z.toJSONSchema(definition.input, { io: 'input' })),
    aliases: [...definition.aliases],
    ...(definition.hints === undefined ? {} : { hints: definition.hints }),
    risk: definition.risk,
    permission: { matchFields: [...definition.matchFields] },
    ...(definition.timeoutMs === undefined ? {} : { timeout: durationFromMs(definition.timeoutMs) }),
    sessionAffinity: true,
  });
  return {
    spec,
    run: async run => {
      try {
        return await definition.work(parseInput(definition.input, run.call), run);
      } catch (error) {
        return resultOfError(error);
      }
    },
  };
}

function parseInput<Input extends z.ZodObject>(schema: Input, call: ToolCall): z.output<Input> {
  let value: unknown;
  try {
    value = JSON.parse(call.argumentsJson === '' ? '{}' : call.argumentsJson);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not JSON';
    throw new ToolFailure(`The arguments are not JSON: ${reason}.`, OutcomeReason.INVALID_ARGUMENTS);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ToolFailure(
    `The arguments do not fit ${call.toolName}:\n${z.prettifyError(parsed.error)}`,
    OutcomeReason.INVALID_ARGUMENTS,
  );
}

function resultOfError(error: unknown): ToolResult {
  if (error instanceof ToolFailure) {
    return textResult(Outcome.ERROR, error.message, { reason: error.reason });
  }
  if (error instanceof CallCancelled) return cancelledResult(error);
  if (isSpawnError(error)) {
    const text = `No process could be started: ${error.message}. Perhaps too many run already.`;
    return textResult(Outcome.ERROR, text, { reason: OutcomeReason.SPAWN_FAILED });
  }
  throw error;
}

function isSpawnError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('syscall' in error)) return false;
  return typeof error.syscall === 'string' && error.syscall.startsWith('spawn');
}

/** The result of a call that was ended from outside before it had anything to say. */
function cancelledResult(cancelled: CallCancelled): ToolResult {
  const isTimeout = cancelled.source === 'TIME_OVER';
  const text = `${isTimeout ? 'Timed out' : 'Interrupted'}: ${cancelled.message}.`;
  return textResult(isTimeout ? Outcome.TIMED_OUT : Outcome.INTERRUPTED, text);
}
