import { createLanguageModel } from '#gateway/models/language-model/language-model.ts';
import type { Model, ModelChunk, ModelRequest } from '#gateway/models/model.ts';
import type { ModelSettings } from '#gateway/models/model-settings.ts';
import { openAICompatibleFormat } from '#gateway/models/openai-compatible/openai-compatible-format.ts';
import { modelRequest, playModel, userMessage } from '#test/model-history.ts';
import { startOpenAIWireServer, type WireBody } from '#test/openai-wire-server.ts';
import type { WireReply, WireRequest } from '#test/wire-server.ts';

/** The key that openAIModelAt sends. */
export const WIRE_KEY = 'sk-test-0123456789';

/** A model "local:tiny" behind that URL, without retries. */
export function openAIModelAt(
  baseUrl: string,
  more: { env?: Record<string, string>; settings?: Partial<ModelSettings> } = {},
): Model {
  return createLanguageModel({
    providerName: 'local',
    provider: { type: 'openai-compatible', baseUrl, apiKeyEnv: 'LOCAL_KEY', headers: {}, settings: {} },
    format: openAICompatibleFormat,
    modelId: 'tiny',
    settings: { stream: true, timeoutMs: 20_000, idleTimeoutMs: 20_000, attempts: 1, ...more.settings },
    env: more.env ?? { LOCAL_KEY: WIRE_KEY },
    nowMs: () => 0,
  });
}

/** Asks a server that gives that reply to the message "go", unless the request says something else. */
export async function askOnWire(
  reply: WireReply,
  request: Partial<ModelRequest> = {},
  settings: Partial<ModelSettings> = {},
): Promise<{ chunks: ModelChunk[]; error: unknown; requests: readonly WireRequest<WireBody>[] }> {
  await using server = await startOpenAIWireServer([reply]);
  const model = openAIModelAt(server.baseUrl, { settings });
  const played = await playModel(model, modelRequest([userMessage('go')], request));
  return { ...played, requests: server.requests };
}
