import {
  type ContentBlock,
  Outcome,
  OutcomeReason,
  type ToolResult,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';

/** A result as the models read it: its text, below a line that names the outcome unless that is SUCCESS. */
export function toolResultText(result: ToolResult | undefined): string {
  if (result === undefined) {
    return '[UNKNOWN]';
  }
  const text = contentText(result.content) || result.structuredJson;
  if (result.outcome === Outcome.SUCCESS) {
    return text === '' ? '(no output)' : text;
  }
  return text === '' ? outcomeLine(result) : `${outcomeLine(result)}\n${text}`;
}

/** The name of an outcome without its prefix, for example "DENIED". */
export function outcomeName(outcome: Outcome): string {
  return nameOf(Outcome, outcome);
}

/** Content as text; bytes that are no text become one line that says what they are. */
export function contentText(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockText).join('\n');
}

function blockText({ block }: ContentBlock): string {
  switch (block.case) {
    case 'text':
      return block.value.text;
    case 'data': {
      const { mediaType, data, name } = block.value;
      if (mediaType.startsWith('text/')) {
        return new TextDecoder().decode(data);
      }
      return `[${[name || 'data', mediaType, `${data.byteLength} bytes`].filter(Boolean).join(', ')}]`;
    }
    case 'link':
      return `[${[block.value.name, block.value.mediaType, block.value.uri].filter(Boolean).join(', ')}]`;
    default:
      return '';
  }
}

function outcomeLine(result: ToolResult): string {
  const details = [outcomeName(result.outcome)];
  if (result.reason !== OutcomeReason.UNSPECIFIED) {
    details.push(nameOf(OutcomeReason, result.reason));
  }
  if (result.exitCode !== undefined) {
    details.push(`exit code ${result.exitCode}`);
  }
  if (result.signal !== '') {
    details.push(`signal ${result.signal}`);
  }
  return `[${details.join(', ')}]`;
}

function nameOf(values: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(values).find(([, number]) => number === value)?.[0] ?? `UNKNOWN_${value}`;
}
