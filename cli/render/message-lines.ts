import { type Message, type MessagePart, MessageRole } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { ContentBlock } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { callSummary, resultLines } from './call-lines.ts';
import { escapeForTerminal, escapeToOneLine } from './escape-untrusted.ts';
import { outcomeText } from './outcome-text.ts';
import type { TextStyle } from './text-style.ts';

/** One message of a conversation, as it looked when it came. */
export function messageLines(message: Message, style: TextStyle): string[] {
  const isUser = message.role === MessageRole.USER;
  const lines = message.parts.flatMap(part => partLines(part, style));
  return isUser ? ['', ...lines.map(line => `${style(['cyan', 'bold'], '>')} ${line}`)] : lines;
}

function partLines({ part }: MessagePart, style: TextStyle): string[] {
  switch (part.case) {
    case 'content':
      return blockLines(part.value);
    case 'thinking':
      return escapeForTerminal(`(thinking) ${part.value.text}`)
        .split('\n')
        .map(line => style('dim', line));
    case 'toolCall':
      return [`${style('cyan', '●')} ${callSummary(part.value.toolName, part.value.argumentsText, style)}`];
    case 'toolResult': {
      const { result } = part.value;
      if (result === undefined) return [];
      const content = resultLines(result, style).map(line => `  ${style('dim', '│')} ${line}`);
      return [...content, `  ${style('dim', outcomeText(result.outcome, result.reason))}`];
    }
    default:
      return [];
  }
}

function blockLines({ block }: ContentBlock): string[] {
  switch (block.case) {
    case 'text':
      return escapeForTerminal(block.value.text).trimEnd().split('\n');
    case 'data':
      return [`${escapeToOneLine(block.value.mediaType)}, ${block.value.data.length} bytes`];
    case 'link':
      return [escapeToOneLine(block.value.uri)];
    default:
      return [];
  }
}
