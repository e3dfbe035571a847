import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { create } from '@bufbuild/protobuf';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type TokenUsage, TokenUsageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { brokenStream } from './broken-stream.ts';

/** What servers say instead of the words of their format. */
const OTHER_FINISHES: ReadonlyMap<string | undefined, ModelFinish> = new Map([
  ['eos', ModelFinish.STOP],
  ['eos_token', ModelFinish.STOP],
  ['end_turn', ModelFinish.STOP],
  ['stop_sequence', ModelFinish.STOP],
  ['tool_use', ModelFinish.TOOL_CALLS],
  ['max_tokens', ModelFinish.LENGTH],
]);

/** Why an answer ended; throws where it was broken off, so that no half of it is taken for the whole. */
export function toFinish(reason: LanguageModelV4FinishReason, hasCalls: boolean): ModelFinish {
  const finish = knownFinish(reason);
  if (finish === undefined) {
    const { raw } = reason;
    const how = raw === undefined ? 'before it was complete' : `with the reason "${raw}"`;
    throw brokenStream(`ended its answer ${how}`);
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

/** The tokens of an answer; 0 where the provider does not count. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage {
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
