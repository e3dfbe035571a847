import { type Message, MessageRole, type ToolResultPart } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { ContentBlock } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { contentText, toolResultText } from '../tool-result-text.ts';

/** What a script may look at: the history of one request, and nothing else. */
export interface ScriptView {
  /** The texts of all user messages, oldest first. */
  readonly userTexts: readonly string[];
  /** The answers of the model since the last user message: the index of the turn to play. */
  readonly turnIndex: number;
  /** The results the model was shown last, as it reads them; empty before the first call. */
  readonly lastResults: string;
  /** The latest result of a call the script named, found by the id it gave to it. */
  resultOf(scriptCallId: string): ToolResultPart | undefined;
}

/** Reads the history from the start each time, so that a script needs no memory and survives restarts. */
export function viewHistory(messages: readonly Message[]): ScriptView {
  const lastUserIndex = messages.findLastIndex(message => message.role === MessageRole.USER);
  const answers = messages.slice(lastUserIndex + 1);
  const lastToolMessage = answers.findLast(message => message.role === MessageRole.TOOL);
  return {
    userTexts: messages.filter(message => message.role === MessageRole.USER).map(messageText),
    turnIndex: answers.filter(message => message.role === MessageRole.ASSISTANT).length,
    lastResults: resultsOf(lastToolMessage)
      .map(part => toolResultText(part.result))
      .join('\n'),
    resultOf: scriptCallId => {
      const callIds = new Set(gatewayCallIds(messages, scriptCallId));
      return messages.flatMap(resultsOf).findLast(part => callIds.has(part.callId));
    },
  };
}

function messageText(message: Message): string {
  const blocks: ContentBlock[] = [];
  for (const { part } of message.parts) {
    if (part.case === 'content') {
      blocks.push(part.value);
    }
  }
  return contentText(blocks);
}

function resultsOf(message: Message | undefined): ToolResultPart[] {
  return (message?.parts ?? []).flatMap(({ part }) => (part.case === 'toolResult' ? [part.value] : []));
}

function gatewayCallIds(messages: readonly Message[], scriptCallId: string): string[] {
  return messages
    .flatMap(message => message.parts)
    .flatMap(({ part }) =>
      part.case === 'toolCall' && part.value.providerCallId === scriptCallId ? [part.value.callId] : [],
    );
}
