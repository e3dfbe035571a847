import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { Message } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { ContentBlock } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { contentText } from '../tool-result-text.ts';
import type { WireFormat } from './wire-format.ts';

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** What a user says. Texts are sent as text, files where the provider takes their type, others as a line about them. */
export function toUserContent(message: Message, format: Pick<WireFormat, 'takesFile'>): UserPart[] {
  return message.parts.flatMap(({ part }) => (part.case === 'content' ? [userPart(part.value, format)] : []));
}

function userPart(content: ContentBlock, format: Pick<WireFormat, 'takesFile'>): UserPart {
  const { block } = content;
  if (block.case === 'data' && format.takesFile(block.value.mediaType)) {
    const { mediaType, data, name } = block.value;
    return {
      type: 'file',
      mediaType,
      data: { type: 'data', data },
      ...(name === '' ? {} : { filename: name }),
    };
  }
  const text = contentText([content]);
  const isNamedText =
    block.case === 'data' && block.value.mediaType.startsWith('text/') && block.value.name !== '';
  return { type: 'text', text: isNamedText ? `${block.value.name}:\n${text}` : text };
}
