import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Outcome, type ToolResult, ToolResultSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';

type ResultFields = Omit<MessageInitShape<typeof ToolResultSchema>, '$typeName' | 'outcome' | 'content'>;

/** A result whose content is one text for the model. The call table fills in call_id and duration. */
export function textResult(outcome: Outcome, text: string, fields: ResultFields = {}): ToolResult {
  return create(ToolResultSchema, {
    ...fields,
    outcome,
    content: [{ block: { case: 'text', value: { text } } }],
  });
}
