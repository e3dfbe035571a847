import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergeSettings } from '#gateway/models/model-settings.ts';
import { modelsConfigSchema, resolveModelPaths } from '#gateway/models/models-config.ts';

const providersOf = (providers: object) => modelsConfigSchema.parse({ providers }).providers;

test('the public providers need no configuration', () => {
  expect(modelsConfigSchema.parse({}).providers).toMatchObject({
    openai: { type: 'openai', apiKeyEnv: 'OPENAI_API_KEY' },
    dashscope: {
      type: 'openai-compatible',
      baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
      apiKeyEnv: 'DASHSCOPE_API_KEY',
    },
    anthropic: { type: 'anthropic', apiKeyEnv: 'ANTHROPIC_API_KEY' },
    google: { type: 'google', apiKeyEnv: 'GEMINI_API_KEY' },
    ollama: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
  });
  expect(modelsConfigSchema.parse({}).providers['ollama']).not.toHaveProperty('apiKeyEnv');
});

test('a known name may change its key and keeps its address', () => {
  const { anthropic } = providersOf({ anthropic: { apiKeyFile: '/run/key' } });

  expect(anthropic).toMatchObject({ type: 'anthropic', apiKeyFile: '/run/key' });
  expect(anthropic?.baseUrl).toBe('https://api.anthropic.com/v1');
  expect(anthropic).not.toHaveProperty('apiKeyEnv');
});

test('the known key never goes to another address', () => {
  const { openai } = providersOf({ openai: { baseUrl: 'http://127.0.0.1:8000/v1' } });

  expect(openai).toMatchObject({ type: 'openai', baseUrl: 'http://127.0.0.1:8000/v1' });
  expect(openai).not.toHaveProperty('apiKeyEnv');
});

test('a name of its own for a public service knows the address by the type', () => {
  const { work } = providersOf({ work: { type: 'anthropic', apiKeyEnv: 'WORK_KEY' } });

  expect(work).toMatchObject({ baseUrl: 'https://api.anthropic.com/v1', apiKeyEnv: 'WORK_KEY' });
});

test.each([
  { providers: { mine: { baseUrl: 'http://a/v1' } }, says: 'needs type' },
  { providers: { mine: { type: 'openai-compatible' } }, says: 'needs baseUrl' },
  { providers: { openai: { type: 'openai-compatible' } }, says: 'needs baseUrl' },
  { providers: { google: { headers: { 'x y': 'a' } } }, says: 'x y' },
  { providers: { google: { settings: { temperature: 9 } } }, says: 'temperature' },
])('$providers is refused because it $says', ({ providers, says }) => {
  const checked = modelsConfigSchema.safeParse({ providers });

  expect(checked.success).toBe(false);
  expect(JSON.stringify(checked.error?.issues)).toContain(says);
});

test('key files start at the folder of the configuration', () => {
  const models = modelsConfigSchema.parse({
    scriptsDir: 'scripts',
    providers: { google: { apiKeyFile: 'keys/google' }, dashscope: { apiKeyFile: '/run/key' } },
  });
  const { scriptsDir, providers } = resolveModelPaths(models, '/etc/toolgate');

  expect(scriptsDir).toBe('/etc/toolgate/scripts');
  expect(providers['google']?.apiKeyFile).toBe('/etc/toolgate/keys/google');
  expect(providers['dashscope']?.apiKeyFile).toBe('/run/key');
});

test('a setting of the model wins over that of the provider, and that over the common one', () => {
  const base = { stream: true, timeoutMs: 1, idleTimeoutMs: 2, attempts: 3 };

  expect(mergeSettings([{ temperature: 0 }, { temperature: 1, attempts: 5, topP: 0.5 }], base)).toEqual({
    ...base,
    temperature: 0,
    topP: 0.5,
    attempts: 5,
  });
});

test('the example of the documentation is a configuration', () => {
  const text = readFileSync(new URL('../../../docs/models.md', import.meta.url), 'utf8');
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
  const { models } = parse(yaml);
  const checked = modelsConfigSchema.parse(models);

  expect(checked.providers['local']?.settings.temperature).toBe(0.2);
  expect(Object.keys(checked.settings)).toEqual(['anthropic:claude-sonnet-4-5', 'dashscope:qwen-plus']);
});
