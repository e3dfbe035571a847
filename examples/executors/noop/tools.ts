import { create } from '@bufbuild/protobuf';
import { Risk, type ToolSpec, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

/** One tool: what the gateway and the model are told of it, and what it does. */
export interface Tool {
  readonly spec: ToolSpec;
  /** Gets the arguments as the JSON object that the gateway has checked against the schema. */
  readonly run: (argumentsJson: string) => string;
}

/** Does nothing, as fast as a call can be. */
export const noop: Tool = {
  spec: create(ToolSpecSchema, {
    name: 'noop',
    description: 'Does nothing.',
    inputSchemaJson: JSON.stringify({ type: 'object', properties: {}, additionalProperties: false }),
    hints: { readOnly: true, idempotent: true },
    risk: Risk.LOW,
  }),
  run: () => '',
};

/** Answers what it was told. */
export const echo: Tool = {
  spec: create(ToolSpecSchema, {
    name: 'echo',
    description: 'Answers with the given text.',
    inputSchemaJson: JSON.stringify({
      type: 'object',
      properties: { text: { type: 'string', description: 'What to answer.' } },
      required: ['text'],
      additionalProperties: false,
    }),
    hints: { readOnly: true, idempotent: true },
    risk: Risk.LOW,
  }),
  run: argumentsJson => String(JSON.parse(argumentsJson).text),
};
