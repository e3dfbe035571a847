import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelsConfigSchema } from '#gateway/models/models-config.ts';
import { createModelResolver } from '#gateway/models/resolve-model.ts';
import { createLogger } from '#kit/logger.ts';
import { modelRequest, playModel, textOf, userMessage } from '#test/model-history.ts';
import { startOpenAIWireServer, wireText } from '#test/openai-wire-server.ts';

test('a configured provider is asked again after 429, with the key from its file and its own model name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-key-'));
  await writeFile(join(folder, 'key'), 'sk-from-file\n');
  await using server = await startOpenAIWireServer([
    { status: 429, headers: { 'retry-after': '3' }, body: '{"error":{"message":"slow down"}}' },
    wireText('hello'),
  ]);
  const waits: number[] = [];
  const logged: string[] = [];
  const resolve = createModelResolver({
    models: modelsConfigSchema.parse({
      providers: {
        near: { type: 'openai-compatible', baseUrl: server.baseUrl, apiKeyFile: join(folder, 'key') },
      },
    }),
    env: {},
    logger: createLogger({
      name: 'test',
      level: 'trace',
      destination: { write: line => void logged.push(line) },
    }),
    sleep: async delayMs => void waits.push(delayMs),
    random: () => 0,
  });
  const { chunks, error } = await playModel(resolve('near:qwen3:8b'), modelRequest([userMessage('go')]));
  await rm(folder, { recursive: true });

  expect(error).toBeUndefined();
  expect(textOf(chunks)).toBe('hello');
  expect(waits).toEqual([3_000]);
  expect(server.requests.map(request => request.body.model)).toEqual(['qwen3:8b', 'qwen3:8b']);
  expect(server.requests[1]?.headers).toMatchObject({ authorization: 'Bearer sk-from-file' });
  expect(logged.join('')).toContain('"reason":"RATE_LIMITED"');
  expect(logged.join('')).not.toContain('sk-from-file');
});

test('a provider without a key setting is asked without a key', async () => {
  await using server = await startOpenAIWireServer([wireText('hello')]);
  const resolve = createModelResolver({
    models: modelsConfigSchema.parse({
      providers: { near: { type: 'openai-compatible', baseUrl: server.baseUrl } },
    }),
    env: { OPENAI_API_KEY: 'sk-of-another' },
    logger: createLogger({ name: 'test', level: 'silent' }),
  });
  const { error } = await playModel(resolve('near:tiny'), modelRequest([userMessage('go')]));

  expect(error).toBeUndefined();
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('settings of provider and model reach the request, under the name that OpenAI gives them', async () => {
  await using server = await startOpenAIWireServer([wireText('hello')]);
  const resolve = createModelResolver({
    models: modelsConfigSchema.parse({
      providers: {
        openai: { baseUrl: server.baseUrl, headers: { 'x-team': 'blue' }, settings: { temperature: 1 } },
      },
      settings: {
        'openai:gpt-5': { temperature: 0.2, maxOutputTokens: 99, options: { seed: 7 } },
        'openai:other': { temperature: 2 },
      },
    }),
    logger: createLogger({ name: 'test', level: 'silent' }),
    env: {},
  });
  const { error } = await playModel(resolve('openai:gpt-5'), modelRequest([userMessage('go')]));

  expect(error).toBeUndefined();
  expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'blue' });
  expect(server.requests[0]?.body).toMatchObject({
    model: 'gpt-5',
    temperature: 0.2,
    max_completion_tokens: 99,
    seed: 7,
  });
  expect(server.requests[0]?.body).not.toHaveProperty('max_tokens');
});
