import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import {
  NetworkMode,
  SandboxSettingsSchema,
  SandboxType,
} from '#gen/toolgate/sandbox/v1/sandbox_service_pb.ts';
import { type BoundedConfig, effectiveSettings } from '#sandbox/sandbox-bounds.ts';
import { createSessionSettings } from '#sandbox/session-settings.ts';
import { codeOf, messageOf } from '#test/code-of.ts';

const limits = { memoryBytes: 2 ** 28, cpuMillis: 1000, maxProcesses: 128 };
const bounded: BoundedConfig = {
  type: 'DOCKER',
  image: 'tools:1',
  limits,
  bounds: { images: ['other:*', 'exact:2'], max: limits, environmentNames: ['GREETING'] },
};

async function effective(init: MessageInitShape<typeof SandboxSettingsSchema>, config = bounded) {
  return effectiveSettings(config, create(SandboxSettingsSchema, init));
}

test('what is left unset is what the operator chose', async () => {
  expect(await effective({})).toEqual({ image: 'tools:1', limits, environment: {} });
});

test.each(['other:1', 'exact:2', 'tools:1'])('the image %s is allowed', async image => {
  expect((await effective({ image })).image).toBe(image);
});

test.each(['other', 'another:1', 'other:1/evil:2', 'exact:3'])('the image %s is not allowed', async image => {
  expect(await codeOf(effective({ image }))).toBe('InvalidArgument');
});

test.each([
  ['workspace_bytes', { workspaceBytes: 1n }],
  ['runtime', { runtime: 'runsc' }],
  ['network.mode', { network: { mode: NetworkMode.ALLOW_LIST } }],
  ['idle_timeout', { idleTimeout: { seconds: 1n } }],
])('%s says that it is not implemented yet', async (field, init) => {
  expect(await codeOf(effective(init))).toBe('Unimplemented');
  expect(await messageOf(effective(init))).toContain(field);
});

test('another type than the executor has is refused', async () => {
  expect(await messageOf(effective({ type: SandboxType.LOCAL }))).toContain('only DOCKER');
});

test('type LOCAL takes variables and refuses limits that it would not hold', async () => {
  const local = { ...bounded, type: 'LOCAL' as const };
  const environment = { GREETING: 'hello' };
  expect((await effective({ environment }, local)).environment).toEqual(environment);
  expect(await messageOf(effective({ maxProcesses: 64 }, local))).toContain('max_processes');
});

test('settings are read back by another executor on the same folder, and by nobody else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  const chosen = create(SandboxSettingsSchema, { environment: { GREETING: 'hello' }, cpuMillis: 70 });
  createSessionSettings(folder).set('one', chosen);
  const later = createSessionSettings(folder);
  expect(later.get('one')).toEqual(chosen);
  expect(later.get('two')).toBeUndefined();
  expect(statSync(join(folder, 'settings')).mode & 0o077).toBe(0);
  later.remove('one');
  expect(later.get('one')).toBeUndefined();
  rmSync(folder, { recursive: true });
});
