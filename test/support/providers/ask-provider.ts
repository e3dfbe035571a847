import { createLanguageModel } from '#gateway/models/language-model/language-model.ts';
import type { Model, ModelChunk, ModelRequest } from '#gateway/models/model.ts';
import type { ModelSettings } from '#gateway/models/model-settings.ts';
import { modelRequest, playModel, userMessage } from '#test/model-history.ts';
import { anthropicFixture } from '#test/providers/anthropic-fixture.ts';
import { googleFixture } from '#test/providers/google-fixture.ts';
import { openAIFixture } from '#test/providers/openai-fixture.ts';
import type { ProviderFixture } from '#test/providers/provider-fixture.ts';
import { startWireServer, type WireReply, type WireRequest } from '#test/wire-server.ts';

/** The key that every model of the fixtures sends. */
export const FIXTURE_KEY = 'key-0123456789';

/** Every wire format. */
export const providerFixtures: readonly ProviderFixture[] = [openAIFixture, anthropicFixture, googleFixture];

/** A model "there:tiny" behind that URL, without retries. */
export function fixtureModel(
  { type, format }: ProviderFixture,
  baseUrl: string,
  settings: Partial<ModelSettings> = {},
): Model {
  return createLanguageModel({
    providerName: 'there',
    provider: { type, baseUrl, apiKeyEnv: 'KEY', headers: { 'x-team': 'blue' }, settings: {} },
    format,
    modelId: 'tiny',
    settings: { stream: true, timeoutMs: 20_000, idleTimeoutMs: 20_000, attempts: 1, ...settings },
    env: { KEY: FIXTURE_KEY },
    nowMs: () => 0,
  });
}

/** Asks a server of that format that gives that reply to the message "go", unless the request says something else. */
export async function askProvider(
  fixture: ProviderFixture,
  reply: WireReply,
  request: Partial<ModelRequest> = {},
  settings: Partial<ModelSettings> = {},
): Promise<{ chunks: ModelChunk[]; error: unknown; request: WireRequest | undefined }> {
  await using server = await startWireServer([reply], fixture.encoding);
  const model = fixtureModel(fixture, server.baseUrl, settings);
  const played = await playModel(model, modelRequest([userMessage('go')], request));
  return { ...played, request: server.requests[0] };
}
