import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from '@ai-sdk/provider';
import { type Message, MessageRole, type ToolCallPart } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { ContentBlock } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { ModelRequest } from '../model.ts';
import { contentText, toolResultText } from '../tool-result-text.ts';
import { chooseWireIds } from './choose-wire-ids.ts';
import { parseMetadata } from './provider-metadata.ts';

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/** The instructions and the history in the words of the AI SDK. */
export function toPrompt(request: ModelRequest): LanguageModelV4Message[] {
  const { instructions, messages } = request;
  const wireIds = chooseWireIds(messages);
  const lastUserIndex = messages.findLastIndex(message => message.role === MessageRole.USER);
  const prompt: LanguageModelV4Message[] =
    instructions === '' ? [] : [{ role: 'system', content: instructions }];
  for (const [index, message] of messages.entries()) {
    const converted = toPromptMessage(message, wireIds, index > lastUserIndex);
    if (converted !== undefined && converted.content.length > 0) {
      prompt.push(converted);
    }
  }
  return prompt;
}

function toPromptMessage(
  message: Message,
  wireIds: ReadonlyMap<string, string>,
  isCurrent: boolean,
): LanguageModelV4Message | undefined {
  switch (message.role) {
    case MessageRole.USER:
      return { role: 'user', content: userContent(message) };
    case MessageRole.ASSISTANT:
      return { role: 'assistant', content: assistantContent(message, wireIds, isCurrent) };
    case MessageRole.TOOL:
      return {
        role: 'tool',
        content: message.parts.flatMap(({ part }) =>
          part.case === 'toolResult'
            ? [
                {
                  type: 'tool-result',
                  toolCallId: wireIds.get(part.value.callId) ?? part.value.callId,
                  toolName: part.value.toolName,
                  output: { type: 'text', value: toolResultText(part.value.result) },
                },
              ]
            : [],
        ),
      };
    default:
      return undefined;
  }
}

function userContent(message: Message): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  return message.parts.flatMap(({ part }) => (part.case === 'content' ? [userPart(part.value)] : []));
}

const SENT_AS_FILE = /^(image\/.+|audio\/(wav|mp3|mpeg)|application\/pdf)$/;

function userPart(content: ContentBlock): LanguageModelV4TextPart | LanguageModelV4FilePart {
  const { block } = content;
  if (block.case === 'data' && SENT_AS_FILE.test(block.value.mediaType)) {
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

function assistantContent(
  message: Message,
  wireIds: ReadonlyMap<string, string>,
  isCurrent: boolean,
): AssistantContent {
  const content: AssistantContent = [];
  for (const { part } of message.parts) {
    if (part.case === 'content') {
      content.push({ type: 'text', text: contentText([part.value]) });
    } else if (part.case === 'thinking' && isCurrent) {
      // Providers that think between calls want those thoughts back until the reply ends; some refuse older ones.
      content.push({ type: 'reasoning', text: part.value.text });
    } else if (part.case === 'toolCall') {
      content.push({
        type: 'tool-call',
        toolCallId: wireIds.get(part.value.callId) ?? part.value.callId,
        toolName: part.value.toolName,
        input: wireArguments(part.value),
        ...parseMetadata(part.value.providerMetadataJson),
      });
    }
  }
  return content;
}

/** A text that is a JSON object goes out as the model wrote it; servers refuse a history with anything else. */
function wireArguments(call: ToolCallPart): unknown {
  const text = call.argumentsText.trim();
  if (text === '') {
    return {};
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return text;
    }
  } catch {
    // Falls through: what the model wrote is shown to it as it is, inside an object.
  }
  return { unparsed_arguments: call.argumentsText };
}
