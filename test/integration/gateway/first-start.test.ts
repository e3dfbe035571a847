import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '#gateway/store/open-store.ts';
import { codeOf } from '#test/code-of.ts';
import { createGatewayFolder } from '#test/gateway-folder.ts';
import { exitOf, startNode } from '#test/node-process.ts';
import { startGatewayOn, startGatewayProcess } from '#test/test-gateway.ts';

describe('a gateway that starts', () => {
  it('for the first time makes tokens that only its owner can read, and keeps none of them in its store', async () => {
    await using folder = await createGatewayFolder();
    await using gateway = await startGatewayOn(folder);
    const modes = await Promise.all(
      ['', 'tokens', 'tokens/owner.token', 'tokens/agent.token', 'gateway.db'].map(
        async path => (await stat(join(folder.dataDir, path))).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600, 0o600]);
    await using store = await openStore({ path: join(folder.dataDir, 'gateway.db'), synchronous: 'NORMAL' });
    const stored = JSON.stringify(await store.tokens());
    expect(stored).not.toContain(gateway.owner.token);
    expect((await store.tokens()).map(token => [token.principal, token.scopes.join(' ')])).toEqual([
      ['owner', 'use call approve executor admin'],
      ['agent', 'use call'],
    ]);
  });

  it('again keeps its tokens and sessions', async () => {
    await using folder = await createGatewayFolder();
    const first = await startGatewayOn(folder);
    const token = first.owner.token;
    await first[Symbol.asyncDispose]();
    await using second = await startGatewayOn(folder);
    expect(second.owner.token).toBe(token);
    expect(await codeOf(second.owner.sessions.listSessions({}))).toBe('OK');
  });

  it('keeps a second one off its data folder, until it is gone', async () => {
    await using folder = await createGatewayFolder();
    const first = await startGatewayProcess(folder);
    await expect(startGatewayOn(folder)).rejects.toThrow('another gateway works on this data folder');
    await first.kill();
    await using second = await startGatewayOn(folder);
    expect(await codeOf(second.owner.sessions.listSessions({}))).toBe('OK');
  });

  it('without the file of a token makes a new one, and the old token opens nothing any more', async () => {
    await using folder = await createGatewayFolder();
    const first = await startGatewayOn(folder);
    const lost = first.owner.token;
    const kept = first.agent.token;
    await first[Symbol.asyncDispose]();
    await rm(join(folder.dataDir, 'tokens', 'owner.token'));
    await using second = await startGatewayOn(folder);
    expect(second.agent.token).toBe(kept);
    expect(await codeOf(second.owner.executors.listExecutors({}))).toBe('OK');
    expect(await codeOf(second.clients(lost).sessions.listSessions({}))).toBe('Unauthenticated');
  });

  it('says where it is in a file, for as long as it is there', async () => {
    await using folder = await createGatewayFolder();
    const file = join(folder.dataDir, 'gateway.json');
    await using gateway = await startGatewayProcess(folder);
    await expect
      .poll(() => readFile(file, 'utf8').then(JSON.parse))
      .toEqual({
        address: gateway.address,
        pid: gateway.process.pid,
      });
    gateway.process.kill('SIGTERM');
    await exitOf(gateway.process);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('with a wrong setting ends at once and says what is wrong, without a stack', async () => {
    await using folder = await createGatewayFolder();
    await writeFile(join(folder.dir, 'gateway.yaml'), 'lisen: {}');
    const { code, said } = await failedStart(folder.env);
    expect(code).toBe(1);
    expect(said).toContain('lisen');
    expect(said).not.toContain('    at ');
  });

  it('on a port that is taken ends at once and says so', async () => {
    await using folder = await createGatewayFolder();
    await using gateway = await startGatewayOn(folder);
    await using other = await createGatewayFolder();
    const listen = gateway.address.slice('http://'.length);
    const { code, said } = await failedStart({ ...other.env, TOOLGATE_LISTEN: listen });
    expect(code).toBe(1);
    expect(said).toContain('EADDRINUSE');
    expect(said).not.toContain('    at ');
  });
});

async function failedStart(
  env: Record<string, string>,
): Promise<{ readonly code: unknown; readonly said: string }> {
  const lines: string[] = [];
  const child = startNode(
    ['gateway/main.ts'],
    { ...process.env, ...env },
    () => undefined,
    line => lines.push(line),
  );
  return { code: await exitOf(child), said: lines.join('\n') };
}
