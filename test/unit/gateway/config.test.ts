import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, databasePath, readConfig } from '#gateway/config.ts';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'toolgate-config-'));
});

afterAll(() => rm(dir, { recursive: true }));

async function fileWith(text: string): Promise<string> {
  const file = join(dir, 'gateway.yaml');
  await writeFile(file, text);
  return file;
}

async function problemOf(text: string, env: Record<string, string> = {}): Promise<string> {
  const file = await fileWith(text);
  try {
    readConfig({ TOOLGATE_CONFIG: file, ...env });
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return String(error);
  }
}

describe('the configuration', () => {
  it('needs no file: a gateway listens on loopback', () => {
    const config = readConfig({ TOOLGATE_DATA: '/data' });
    expect(config.listen).toEqual({ host: '127.0.0.1', port: 7420 });
    expect(config.executors).toEqual([]);
    expect(databasePath(config)).toBe('/data/gateway.db');
  });

  it('takes an empty file', async () => {
    expect(readConfig({ TOOLGATE_CONFIG: await fileWith('') }).logLevel).toBe('info');
  });

  it('reads relative paths from the folder of its file', async () => {
    const text = `
agentsDir: agents
models: { scriptsDir: scripts }
executors: [{ name: box, address: "unix:/run/box", tokenFile: box.token }]`;
    const config = readConfig({ TOOLGATE_CONFIG: await fileWith(text) });
    expect(config.agentsDir).toBe(join(dir, 'agents'));
    expect(config.models.scriptsDir).toBe(join(dir, 'scripts'));
    expect(config.executors[0]?.tokenFile).toBe(join(dir, 'box.token'));
  });

  it('is overridden by the environment', async () => {
    const file = await fileWith('listen: { port: 1 }\nlogLevel: warn');
    const env = { TOOLGATE_CONFIG: file, TOOLGATE_LISTEN: '[::1]:0', TOOLGATE_LOG_LEVEL: 'debug' };
    const config = readConfig(env);
    expect(config.listen).toEqual({ host: '::1', port: 0 });
    expect(config.logLevel).toBe('debug');
  });

  it.each([
    ['an unknown key', 'lisen: {}', 'lisen'],
    ['a port that is none', 'listen: { port: 99999 }', 'listen.port'],
    ['an address without a scheme', 'executors: [{ name: a, address: "host:1" }]', 'http://HOST:PORT'],
    [
      'an executor with the name of the gateway',
      'executors: [{ name: gateway, address: "http://h:1" }]',
      'own tools',
    ],
    [
      'two executors of one name',
      'executors: [{ name: a, address: "http://h:1" }, { name: a, address: "http://h:2" }]',
      'same name',
    ],
    [
      'a rule with a behavior that is none',
      'permissions: { rules: [{ tool: Bash, behavior: maybe }] }',
      'behavior',
    ],
    ['a limit that is none', 'limits: { drainMs: -1 }', 'limits.drainMs'],
    ['an origin that is no URL', 'allowedOrigins: [console]', 'allowedOrigins'],
    ['text that is no YAML', 'a: [', 'cannot read'],
  ])('with %s is refused by the name of the setting and of the file', async (_name, text, named) => {
    const problem = await problemOf(text);
    expect(problem).toContain(named);
    expect(problem).toContain('gateway.yaml');
  });

  it('names the variable that is wrong', async () => {
    expect(await problemOf('', { TOOLGATE_LISTEN: 'localhost' })).toContain('TOOLGATE_LISTEN');
    expect(await problemOf('', { TOOLGATE_LISTEN: 'h:70000' })).toContain('TOOLGATE_LISTEN');
    expect(await problemOf('', { TOOLGATE_LOG_LEVEL: 'loud' })).toContain('TOOLGATE_LOG_LEVEL');
  });

  it('whose file is missing says so', () => {
    expect(() => readConfig({ TOOLGATE_CONFIG: join(dir, 'none.yaml') })).toThrow(
      /TOOLGATE_CONFIG.*none\.yaml/,
    );
  });
});
