import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type Model, type ModelChunk, ModelError, type ModelRequest } from '../model.ts';
import type { ProviderConfig } from '../models-config.ts';
import { answerChunks } from './answer-chunks.ts';
import { readApiKey } from './read-api-key.ts';
import { toModelError } from './to-model-error.ts';
import { toPrompt } from './to-prompt.ts';
import { toTools } from './to-tools.ts';

/** What one model of one provider needs. */
export interface OpenAICompatibleModelOptions {
  /** Name of the provider in the configuration. */
  readonly providerName: string;
  readonly provider: ProviderConfig;
  /** Name of the model as the provider knows it. */
  readonly modelId: string;
  /** Longest time from the request to the end of the answer. */
  readonly timeoutMs: number;
  /** Where apiKeyEnv is looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970, for dates in Retry-After. */
  readonly nowMs: () => number;
}

/** Speaks OpenAI's chat completions, streamed; one request for each stream, without retries. */
export function createOpenAICompatibleModel(options: OpenAICompatibleModelOptions): Model {
  const { providerName, provider, modelId, timeoutMs, env, nowMs } = options;
  return {
    name: `${providerName}:${modelId}`,
    async *stream(request, signal) {
      signal.throwIfAborted();
      const apiKey = await readApiKey({ providerName, provider, env, signal });
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        yield* streamOnce(options, apiKey, request, AbortSignal.any([signal, timeout]));
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted) {
          const message = `The model provider "${providerName}" did not end its answer within ${timeoutMs} ms.`;
          throw new ModelError({ reason: 'TIMED_OUT', message });
        }
        throw toModelError(error, { providerName, apiKey, nowMs: nowMs() });
      }
    },
  };
}

async function* streamOnce(
  { providerName, provider, modelId }: OpenAICompatibleModelOptions,
  apiKey: string | undefined,
  request: ModelRequest,
  abortSignal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const sdkProvider = createOpenAICompatible({
    name: providerName,
    baseURL: provider.baseUrl,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const tools = toTools(request.tools);
  const { stream } = await sdkProvider.chatModel(modelId).doStream({
    prompt: toPrompt(request),
    ...(tools === undefined ? {} : { tools }),
    includeRawChunks: true,
    abortSignal,
  });
  yield* answerChunks(stream);
}
