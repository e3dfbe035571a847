import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { type ContentBlock, Outcome, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { toolResultText } from '../tool-result-text.ts';
import type { WireFormat } from './wire-format.ts';

/** The result of a call. Files go along where the provider takes them; the text names them in any case. */
export function toResultOutput(
  result: ToolResult | undefined,
  format: Pick<WireFormat, 'takesFileInResult'>,
): LanguageModelV4ToolResultOutput {
  const value = toolResultText(result);
  if (result?.outcome !== Outcome.SUCCESS) return { type: 'error-text', value };
  const files = result.content.flatMap(block => filePart(block, format));
  if (files.length === 0) return { type: 'text', value };
  return { type: 'content', value: [{ type: 'text', text: value }, ...files] };
}

function filePart({ block }: ContentBlock, format: Pick<WireFormat, 'takesFileInResult'>) {
  if (block.case !== 'data' || !format.takesFileInResult(block.value.mediaType)) return [];
  const { mediaType, data, name } = block.value;
  const filename = name === '' ? {} : { filename: name };
  return [{ type: 'file' as const, mediaType, data: { type: 'data' as const, data }, ...filename }];
}
