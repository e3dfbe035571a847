import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '#sandbox/config.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-config-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function environment(changes: Readonly<Record<string, string>> = {}, tokenMode = 0o600): NodeJS.ProcessEnv {
  const tokenFile = join(folder, `token-${tokenMode}`);
  writeFileSync(tokenFile, 'a-token-of-some-length\n', { mode: tokenMode });
  return {
    TOOLGATE_SANDBOX_TOKEN_FILE: tokenFile,
    TOOLGATE_SANDBOX_DATA_DIR: join(folder, 'data'),
    TOOLGATE_SANDBOX_TOOLBOX: '/opt/toolbox.mjs',
    ...changes,
  };
}

test('what is not set takes safe defaults: loopback, Docker, bounded', () => {
  expect(readConfig(environment())).toMatchObject({
    listen: { host: '127.0.0.1', port: 0 },
    token: 'a-token-of-some-length',
    type: 'DOCKER',
    limits: { memoryBytes: 512 * 1024 * 1024, cpuMillis: 1000, maxProcesses: 256 },
  });
});

test('the owner stays the same for a data folder and differs between folders', () => {
  const here = readConfig(environment()).owner;
  expect(readConfig(environment()).owner).toBe(here);
  expect(readConfig(environment({ TOOLGATE_SANDBOX_DATA_DIR: '/elsewhere' })).owner).not.toBe(here);
});

test('a token file that others may read is refused', () => {
  expect(() => readConfig(environment({}, 0o644))).toThrow('make it mode 0600');
});

test.each([
  ['TOOLGATE_SANDBOX_TYPE', 'CHROOT'],
  ['TOOLGATE_SANDBOX_DATA_DIR', 'relative'],
  ['TOOLGATE_SANDBOX_MEMORY_MIB', '1'],
  ['TOOLGATE_SANDBOX_OWNER', 'two words'],
])('a wrong %s is named', (name, value) => {
  expect(() => readConfig(environment({ [name]: value }))).toThrow(name);
});
