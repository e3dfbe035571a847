import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { create } from '@bufbuild/protobuf';
import { z } from 'zod';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type TokenUsage, TokenUsageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { type ModelChunk, ModelError } from '../model.ts';
import { formatMetadata } from './provider-metadata.ts';

/**
 * One answer of the AI SDK as model chunks. The SDK has put the calls together and gives each its own id; a
 * piece of arguments that it could not place fails the answer, because a call without it might still run.
 * Throws what an error part carries.
 */
export async function* answerChunks(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
): AsyncGenerator<ModelChunk> {
  const callIds: string[] = [];
  let unplacedCharacters = 0;
  for await (const part of parts) {
    switch (part.type) {
      case 'text-delta':
        yield { kind: 'text', text: part.delta };
        break;
      case 'reasoning-delta':
        yield { kind: 'thinking', text: part.delta, ...formatMetadata(part.providerMetadata) };
        break;
      case 'tool-input-start':
        callIds.push(part.id);
        yield toolCallChunk(callIds, part.id, part.toolName, '');
        break;
      case 'tool-input-delta':
        unplacedCharacters -= part.delta.length;
        yield toolCallChunk(callIds, part.id, '', part.delta);
        break;
      case 'tool-call':
        if (part.providerMetadata !== undefined) {
          const metadata = formatMetadata(part.providerMetadata);
          yield { ...toolCallChunk(callIds, part.toolCallId, '', ''), ...metadata };
        }
        break;
      case 'raw':
        unplacedCharacters += argumentCharacters(part.rawValue);
        break;
      case 'error':
        throw part.error;
      case 'finish':
        if (unplacedCharacters !== 0) {
          throw brokenStream('sent pieces of tool calls that cannot be told apart');
        }
        yield {
          kind: 'finish',
          finish: toFinish(part.finishReason, callIds.length > 0),
          usage: toUsage(part.usage),
        };
        break;
    }
  }
}

function toolCallChunk(callIds: readonly string[], id: string, name: string, argumentsDelta: string) {
  return { kind: 'tool-call', providerCallId: id, index: callIds.indexOf(id), name, argumentsDelta } as const;
}

const pieceSchema = z.looseObject({ function: z.looseObject({ arguments: z.string().nullish() }).nullish() });
const rawChunkSchema = z.looseObject({
  choices: z.array(
    z.looseObject({ delta: z.looseObject({ tool_calls: z.array(pieceSchema).nullish() }).nullish() }),
  ),
});

function argumentCharacters(rawValue: unknown): number {
  const pieces = rawChunkSchema.safeParse(rawValue).data?.choices[0]?.delta?.tool_calls ?? [];
  return pieces.reduce((sum, piece) => sum + (piece.function?.arguments?.length ?? 0), 0);
}

/** What servers say instead of OpenAI's own words. */
const OTHER_FINISHES: ReadonlyMap<string | undefined, ModelFinish> = new Map([
  ['eos', ModelFinish.STOP],
  ['eos_token', ModelFinish.STOP],
  ['end_turn', ModelFinish.STOP],
  ['stop_sequence', ModelFinish.STOP],
  ['tool_use', ModelFinish.TOOL_CALLS],
  ['max_tokens', ModelFinish.LENGTH],
]);

function toFinish(reason: LanguageModelV4FinishReason, hasCalls: boolean): ModelFinish {
  const finish = knownFinish(reason);
  if (finish === undefined) {
    throw brokenStream(`ended its answer with the unknown reason "${reason.raw}"`);
  }
  // Some servers say "stop" after calls, and "tool_calls" without any.
  if (finish === ModelFinish.STOP || finish === ModelFinish.TOOL_CALLS) {
    return hasCalls ? ModelFinish.TOOL_CALLS : ModelFinish.STOP;
  }
  return finish;
}

function knownFinish(reason: LanguageModelV4FinishReason): ModelFinish | undefined {
  switch (reason.unified) {
    case 'stop':
      return ModelFinish.STOP;
    case 'tool-calls':
      return ModelFinish.TOOL_CALLS;
    case 'length':
      return ModelFinish.LENGTH;
    case 'content-filter':
      return ModelFinish.CONTENT_FILTER;
    default:
      return OTHER_FINISHES.get(reason.raw?.toLowerCase());
  }
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage {
  return create(TokenUsageSchema, {
    inputTokens: tokens(inputTokens.total),
    outputTokens: tokens(outputTokens.total),
    cachedInputTokens: tokens(inputTokens.cacheRead),
    reasoningTokens: tokens(outputTokens.reasoning),
  });
}

function tokens(count: number | undefined): bigint {
  return BigInt(Math.max(0, Math.trunc(count ?? 0)));
}

function brokenStream(what: string): ModelError {
  return new ModelError({ reason: 'BROKEN_STREAM', message: `The model provider ${what}.` });
}
