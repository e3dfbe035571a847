import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { type Message, MessageRole, type ToolCallPart } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { ModelRequest } from '../model.ts';
import { contentText } from '../tool-result-text.ts';
import { chooseWireIds, ownWireId } from './choose-wire-ids.ts';
import { parseMetadata } from './provider-metadata.ts';
import { toResultOutput } from './to-result-output.ts';
import { toUserContent } from './to-user-content.ts';
import type { WireFormat } from './wire-format.ts';

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/** For whom a prompt is made. */
export interface PromptTarget {
  readonly format: Pick<WireFormat, 'takesFile' | 'takesFileInResult' | 'callIds'>;
  /** Key of the metadata that this provider left in the history. */
  readonly metadataKey: string;
}

interface Surroundings extends PromptTarget {
  readonly wireIdOf: (callId: string) => string;
  /** True in the reply that is under way. */
  readonly isCurrent: boolean;
}

/** The instructions and the history in the words of the AI SDK. */
export function toPrompt(request: ModelRequest, target: PromptTarget): LanguageModelV4Message[] {
  const { instructions, messages } = request;
  const wireIds = chooseWireIds(messages, target.format.callIds);
  const wireIdOf = (callId: string): string => wireIds.get(callId) ?? ownWireId(callId);
  const lastUserIndex = messages.findLastIndex(message => message.role === MessageRole.USER);
  const prompt: LanguageModelV4Message[] =
    instructions === '' ? [] : [{ role: 'system', content: instructions }];
  for (const [index, message] of messages.entries()) {
    const converted = toPromptMessage(message, { ...target, wireIdOf, isCurrent: index > lastUserIndex });
    if (converted !== undefined && converted.content.length > 0) {
      prompt.push(converted);
    }
  }
  return prompt;
}

function toPromptMessage(message: Message, surroundings: Surroundings): LanguageModelV4Message | undefined {
  switch (message.role) {
    case MessageRole.USER:
      return { role: 'user', content: toUserContent(message, surroundings.format) };
    case MessageRole.ASSISTANT:
      return { role: 'assistant', content: assistantContent(message, surroundings) };
    case MessageRole.TOOL:
      return {
        role: 'tool',
        content: message.parts.flatMap(({ part }) =>
          part.case === 'toolResult'
            ? [
                {
                  type: 'tool-result',
                  toolCallId: surroundings.wireIdOf(part.value.callId),
                  toolName: part.value.toolName,
                  output: toResultOutput(part.value.result, surroundings.format),
                },
              ]
            : [],
        ),
      };
    default:
      return undefined;
  }
}

function assistantContent(message: Message, surroundings: Surroundings): AssistantContent {
  const { isCurrent, metadataKey, wireIdOf } = surroundings;
  const content: AssistantContent = [];
  for (const { part } of message.parts) {
    if (part.case === 'content') {
      content.push({ type: 'text', text: contentText([part.value]) });
    } else if (part.case === 'thinking' && isCurrent) {
      // Providers that think between calls want those thoughts back until the reply ends; some refuse older ones.
      const { text, providerMetadataJson } = part.value;
      const metadata = parseMetadata(providerMetadataJson, metadataKey);
      const isForeign = providerMetadataJson !== '' && metadata.providerOptions === undefined;
      if (!isForeign) content.push({ type: 'reasoning', text, ...metadata });
    } else if (part.case === 'toolCall') {
      content.push({
        type: 'tool-call',
        toolCallId: wireIdOf(part.value.callId),
        toolName: part.value.toolName,
        input: wireArguments(part.value),
        ...parseMetadata(part.value.providerMetadataJson, metadataKey),
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
