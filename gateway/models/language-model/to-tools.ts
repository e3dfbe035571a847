import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { ModelError } from '../model.ts';

/** The tools as functions of the OpenAI wire, or undefined for none, because servers refuse an empty list. */
export function toTools(specs: readonly ToolSpec[]): LanguageModelV4FunctionTool[] | undefined {
  if (specs.length === 0) {
    return undefined;
  }
  return specs.map(spec => ({
    type: 'function',
    name: spec.name,
    description: spec.description,
    inputSchema: parseSchema(spec),
  }));
}

function parseSchema(spec: ToolSpec): LanguageModelV4FunctionTool['inputSchema'] {
  try {
    return JSON.parse(spec.inputSchemaJson);
  } catch (cause) {
    const message = `The input schema of the tool ${spec.name} is no JSON.`;
    throw new ModelError({ reason: 'REFUSED', message, cause });
  }
}
