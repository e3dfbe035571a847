import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExecutorService } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { ExecutorState } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { createLogger } from '#kit/logger.ts';
import { type RunningServer, startServer } from '#kit/one-port-server.ts';
import { createTestAuthority } from '#test/test-certificates.ts';
import { startTestGateway } from '#test/test-gateway.ts';

describe('an executor at an https address', () => {
  let folder: string;
  let executor: RunningServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-tls-'));
    const authority = await createTestAuthority(folder, 'authority');
    await createTestAuthority(folder, 'stranger');
    executor = await startServer({
      routes: router => router.service(ExecutorService, { describe: () => ({ version: 'secure' }) }),
      listen: { host: '127.0.0.1', port: 0 },
      interceptors: [],
      readMaxBytes: 1024,
      tls: {
        files: await authority.sign('executor'),
        logger: createLogger({ name: 'executor', level: 'silent' }),
      },
    });
  });
  afterAll(async () => {
    await executor.close(0);
    await rm(folder, { recursive: true, force: true });
  });

  const stateWith = async (caFile: string) => {
    const executors = [{ name: 'far', address: executor.address, caFile: join(folder, caFile) }];
    await using gateway = await startTestGateway({ settings: { executors } });
    const { executors: states } = await gateway.owner.executors.listExecutors({});
    return states[0];
  };

  it('is connected to when the CA is the configured one', async () => {
    expect(await stateWith('authority.pem')).toMatchObject({ version: 'secure' });
  });

  it('is not trusted with another CA, and the list says why', async () => {
    const state = await stateWith('stranger.pem');
    expect(state?.state).toBe(ExecutorState.UNREACHABLE);
    expect(state?.message).toMatch(/certificate|issuer/);
  });
});
