import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { type Model, ModelError, type ModelRequest } from '../model.ts';
import type { ModelSettings } from '../model-settings.ts';
import type { ProviderConfig } from '../provider-config.ts';
import { answerChunks } from './answer-chunks.ts';
import { createProviderWire } from './provider-wire.ts';
import { readApiKey } from './read-api-key.ts';
import { toModelError } from './to-model-error.ts';
import { toPrompt } from './to-prompt.ts';
import { toTools } from './to-tools.ts';
import { wholeAnswerParts } from './whole-answer-parts.ts';
import type { WireFormat } from './wire-format.ts';

/** What one model of one provider needs. */
export interface LanguageModelOptions {
  /** Name of the provider in the configuration. */
  readonly providerName: string;
  readonly provider: ProviderConfig;
  readonly format: WireFormat;
  /** Name of the model as the provider knows it. */
  readonly modelId: string;
  readonly settings: ModelSettings;
  /** Where apiKeyEnv is looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970, for dates in Retry-After. */
  readonly nowMs: () => number;
}

/** Asks through an AI SDK package; one request for each stream, without retries. */
export function createLanguageModel(options: LanguageModelOptions): Model {
  const { providerName, provider, modelId, settings, env, nowMs } = options;
  const { timeoutMs, idleTimeoutMs, stream: streamed } = settings;
  return {
    name: `${providerName}:${modelId}`,
    async *stream(request, signal) {
      signal.throwIfAborted();
      const apiKey = await readApiKey({ providerName, provider, env, signal });
      const timeout = AbortSignal.timeout(timeoutMs);
      const both = AbortSignal.any([signal, timeout]);
      const repairs = options.format.createRepairs();
      const wire = createProviderWire({ repairs, streamed, idleTimeoutMs, signal: both });
      try {
        const call = callOptions(options, request, both);
        const parts = askedParts(wire, fetch => connect(options, apiKey, fetch), call, streamed);
        yield* answerChunks(parts, event => options.format.argumentCharacters?.(event) ?? 0);
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted) {
          const message = `The model provider "${providerName}" did not end its answer within ${timeoutMs} ms.`;
          throw new ModelError({ reason: 'TIMED_OUT', message });
        }
        const secrets = [apiKey ?? '', ...Object.values(provider.headers)];
        throw toModelError(wire.problem() ?? error, { providerName, secrets, nowMs: nowMs() });
      }
    },
  };
}

async function* askedParts(
  wire: ReturnType<typeof createProviderWire>,
  connectWith: (fetch: typeof globalThis.fetch) => LanguageModelV4,
  call: LanguageModelV4CallOptions,
  streamed: boolean,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const model = connectWith(wire.fetch);
  if (!streamed) {
    yield* wholeAnswerParts(await model.doGenerate(call));
    return;
  }
  let stream: ReadableStream<LanguageModelV4StreamPart>;
  try {
    ({ stream } = await model.doStream(call));
  } catch (error) {
    const whole = wire.wholeAnswer();
    if (whole === undefined) throw error;
    const replay = async () => new Response(whole, { headers: { 'content-type': 'application/json' } });
    yield* wholeAnswerParts(await connectWith(replay).doGenerate(call));
    return;
  }
  yield* stream;
}

function connect(
  { format, providerName, provider, modelId }: LanguageModelOptions,
  apiKey: string | undefined,
  fetch: typeof globalThis.fetch,
): LanguageModelV4 {
  const { baseUrl, headers } = provider;
  return format.connect({ providerName, modelId, baseUrl, apiKey, headers, fetch });
}

function callOptions(
  { format, providerName, settings }: LanguageModelOptions,
  request: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { temperature, topP, maxOutputTokens, options } = settings;
  const tools = toTools(request.tools);
  return {
    prompt: toPrompt(request, { format, metadataKey: format.metadataKey(providerName) }),
    ...(tools === undefined ? {} : { tools }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(options === undefined ? {} : { providerOptions: { [format.metadataKey(providerName)]: options } }),
    includeRawChunks: format.argumentCharacters !== undefined,
    abortSignal,
  };
}
