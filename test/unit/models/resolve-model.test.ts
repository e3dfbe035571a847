import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelsConfigSchema } from '#gateway/models/models-config.ts';
import { createModelResolver, UnknownModelError } from '#gateway/models/resolve-model.ts';
import { createLogger } from '#kit/logger.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-models-'));
  await mkdir(join(folder, 'scripts', 'deep'), { recursive: true });
  await writeFile(join(folder, 'scripts', 'hello.yaml'), 'turns: [{ text: a }]');
  await writeFile(join(folder, 'scripts', 'deep', 'more.yaml'), 'turns: [{ text: a }]');
  await writeFile(join(folder, 'secret.yaml'), 'turns: [{ text: secret }]');
  await symlink(join(folder, 'secret.yaml'), join(folder, 'scripts', 'link.yaml'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

function resolve(name: string, config: object = { scriptsDir: join(folder, 'scripts') }) {
  return createModelResolver({ models: modelsConfigSchema.parse(config), logger, env: {} })(name);
}

test.each(['script:hello.yaml', 'script:deep/more.yaml', 'openai:gpt-5', 'openai:org/name:8b'])(
  '%s resolves to a model of that name',
  name => {
    expect(resolve(name).name).toBe(name);
  },
);

test.each([
  'openai:gpt-5, then dashscope:qwen-plus',
  'anthropic:a, then google:b, then ollama:qwen3:8b',
  'openai:gpt-5,then script:hello.yaml',
])('%s resolves to models that are asked in turn', name => {
  expect(resolve(name).name).toBe(name.replace(',then', ', then'));
});

test('a wrong name among fallbacks is found at once', () => {
  expect(() => resolve('openai:gpt-5, then nobody:x')).toThrow('There is no model provider "nobody"');
});

test('a configured provider is found by its name', () => {
  const providers = { ollama: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' } };

  expect(resolve('ollama:qwen3:8b', { providers }).name).toBe('ollama:qwen3:8b');
});

test.each([
  'script:../secret.yaml',
  'script:deep/../../secret.yaml',
  'script:link.yaml',
  'script:/etc/passwd',
  'script:deep',
  'script:none.yaml',
  'script:hello.yaml\0',
])('%j is refused and the scripts that exist are named', name => {
  expect(() => resolve(name)).toThrow(UnknownModelError);
  expect(() => resolve(name)).toThrow('It holds deep/more.yaml, hello.yaml.');
});

test('an absolute path to a script inside the folder is refused', () => {
  expect(() => resolve(`script:${join(folder, 'scripts', 'hello.yaml')}`)).toThrow(UnknownModelError);
});

test.each(['gpt-5', '', ':gpt-5', 'openai:', 'mistral:large'])(
  '%j is unknown and the providers that exist are named',
  name => {
    expect(() => resolve(name)).toThrow(UnknownModelError);
    expect(() => resolve(name)).toThrow('there are script, openai, dashscope, anthropic, google, ollama.');
  },
);

test('without a scripts folder the error names the setting', () => {
  expect(() => resolve('script:hello.yaml', {})).toThrow('models.scriptsDir');
});

test.each([
  { wrong: { providers: { script: { type: 'openai-compatible', baseUrl: 'http://a/v1' } } }, says: 'script' },
  {
    wrong: { providers: { a: { type: 'openai-compatible', baseUrl: 'https://me:pass@host/v1' } } },
    says: 'apiKeyEnv or apiKeyFile',
  },
  { wrong: { providers: { a: { type: 'openai-compatible', baseUrl: 'file:///etc' } } }, says: 'baseUrl' },
  { wrong: { providers: { 'A.b': { type: 'openai-compatible', baseUrl: 'http://a' } } }, says: 'A.b' },
  { wrong: { attempts: 0 }, says: 'attempts' },
])('the configuration $wrong is refused', ({ wrong, says }) => {
  const checked = modelsConfigSchema.safeParse(wrong);

  expect(checked.success).toBe(false);
  expect(JSON.stringify(checked.error?.issues)).toContain(says);
});
