import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { createLogger } from '#kit/logger.ts';
import type { SandboxExecutorConfig } from '#sandbox/config.ts';
import { DockerSandboxProvider } from '#sandbox/docker-sandbox.ts';
import { effectiveSettings } from '#sandbox/sandbox-bounds.ts';

test('a Docker daemon that takes requests and never answers is Unavailable in time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'silent-'));
  const dockerSocket = join(folder, 'docker.sock');
  const daemon = createServer();
  await new Promise<void>(resolve => daemon.listen(dockerSocket, resolve));
  const limits = { memoryBytes: 1024 * 1024 * 64, cpuMillis: 1000, maxProcesses: 64 };
  const config: SandboxExecutorConfig = {
    listen: { host: '127.0.0.1', port: 0 },
    token: 'unused',
    type: 'DOCKER',
    image: 'any',
    dataDir: join(folder, 'data'),
    socketDir: join(folder, 's'),
    bundlePath: '/any',
    nodePath: '/any',
    ripgrepPath: '/any',
    owner: 'silent',
    limits,
    bounds: { images: [], max: limits, environmentNames: [] },
    maxSandboxes: 1,
    dockerSocket,
    logLevel: 'silent',
  };
  const logger = createLogger({ name: 'test', level: 'silent' });
  const provider = new DockerSandboxProvider({ config, logger, apiLimitMs: 200 });
  const error: unknown = await provider
    .create('s', effectiveSettings(config, undefined), new AbortController().signal)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConnectError);
  expect(error).toMatchObject({
    code: Code.Unavailable,
    rawMessage: 'Docker did not answer in time while making a sandbox; nothing ran',
  });
  expect(existsSync(config.socketDir)).toBe(false);
  daemon.close();
  rmSync(folder, { recursive: true, force: true });
});
