import type { Model, ModelChunk, ModelRequest } from '#gateway/models/model.ts';
import { createOpenAICompatibleModel } from '#gateway/models/openai-compatible/openai-compatible-model.ts';
import { modelRequest, playModel, userMessage } from '#test/model-history.ts';
import { startOpenAIWireServer, type WireReply, type WireRequest } from '#test/openai-wire-server.ts';

/** The key that openAIModelAt sends. */
export const WIRE_KEY = 'sk-test-0123456789';

/** A model "local:tiny" behind that URL, without retries. */
export function openAIModelAt(
  baseUrl: string,
  more: { timeoutMs?: number; env?: Record<string, string> } = {},
): Model {
  return createOpenAICompatibleModel({
    providerName: 'local',
    provider: { type: 'openai-compatible', baseUrl, apiKeyEnv: 'LOCAL_KEY' },
    modelId: 'tiny',
    timeoutMs: 20_000,
    env: { LOCAL_KEY: WIRE_KEY },
    nowMs: () => 0,
    ...more,
  });
}

/** Asks a server that gives that reply to the message "go", unless the request says something else. */
export async function askOnWire(
  reply: WireReply,
  request: Partial<ModelRequest> = {},
  timeoutMs = 20_000,
): Promise<{ chunks: ModelChunk[]; error: unknown; requests: readonly WireRequest[] }> {
  await using server = await startOpenAIWireServer([reply]);
  const model = openAIModelAt(server.baseUrl, { timeoutMs });
  const played = await playModel(model, modelRequest([userMessage('go')], request));
  return { ...played, requests: server.requests };
}
