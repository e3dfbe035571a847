import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Model, ModelChunk, ModelRequest } from '#gateway/models/model.ts';
import {
  type Message,
  type MessagePartSchema,
  MessageRole,
  MessageSchema,
} from '#gen/toolgate/gateway/v1/message_pb.ts';
import { Outcome, type ToolResultSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';

type PartInit = MessageInitShape<typeof MessagePartSchema>;

/** What a user says, one text block for each argument. */
export function userMessage(...texts: string[]): Message {
  return message(MessageRole.USER, texts.map(textPart));
}

/** What a model says. */
export function assistantMessage(...parts: PartInit[]): Message {
  return message(MessageRole.ASSISTANT, parts);
}

/** The results of the calls before it. */
export function toolMessage(...parts: PartInit[]): Message {
  return message(MessageRole.TOOL, parts);
}

/** One text block. */
export function textPart(text: string): PartInit {
  return { part: { case: 'content', value: { block: { case: 'text', value: { text } } } } };
}

/** One call; the gateway's own id is "gw-" and the given one. */
export function callPart(call: {
  id: string;
  callId?: string;
  tool: string;
  argumentsText?: string;
  providerMetadataJson?: string;
}): PartInit {
  return {
    part: {
      case: 'toolCall',
      value: {
        callId: call.callId ?? `gw-${call.id}`,
        providerCallId: call.id,
        toolName: call.tool,
        argumentsText: call.argumentsText ?? '{}',
        providerMetadataJson: call.providerMetadataJson ?? '',
      },
    },
  };
}

/** One result; `id` is the one given to callPart, `callId` overrules it. */
export function resultPart(result: {
  id: string;
  callId?: string;
  tool?: string;
  text?: string;
  outcome?: Outcome;
  more?: MessageInitShape<typeof ToolResultSchema>;
}): PartInit {
  const callId = result.callId ?? `gw-${result.id}`;
  const text = result.text ?? '';
  return {
    part: {
      case: 'toolResult',
      value: {
        callId,
        toolName: result.tool ?? 'Read',
        result: {
          callId,
          outcome: result.outcome ?? Outcome.SUCCESS,
          content: text === '' ? [] : [{ block: { case: 'text', value: { text } } }],
          ...result.more,
        },
      },
    },
  };
}

/** A request with that history and no tools. */
export function modelRequest(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { instructions: '', messages, tools: [], sessionId: 'session-1', iteration: 1, ...more };
}

/** What a model call came to: its chunks, and the error it threw, if any. */
export async function playModel(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ chunks: ModelChunk[]; error: unknown }> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of model.stream(request, signal)) {
      chunks.push(chunk);
    }
  } catch (error) {
    return { chunks, error };
  }
  return { chunks, error: undefined };
}

/** The text of all text chunks. */
export function textOf(chunks: readonly ModelChunk[]): string {
  return chunks.map(chunk => (chunk.kind === 'text' ? chunk.text : '')).join('');
}

/** The calls of an answer, put together by their index. */
export function callsOf(
  chunks: readonly ModelChunk[],
): { id: string; name: string; argumentsText: string }[] {
  const calls = new Map<number, { id: string; name: string; argumentsText: string }>();
  for (const chunk of chunks) {
    if (chunk.kind === 'tool-call') {
      const call = calls.get(chunk.index) ?? {
        id: chunk.providerCallId,
        name: chunk.name,
        argumentsText: '',
      };
      calls.set(chunk.index, { ...call, argumentsText: call.argumentsText + chunk.argumentsDelta });
    }
  }
  return [...calls.values()];
}

function message(role: MessageRole, parts: PartInit[]): Message {
  return create(MessageSchema, { role, parts });
}
