import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const LAUNCHER = resolve('cli', 'toolgate');

interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('toolgate up', () => {
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'toolgate up '));
  });
  afterAll(async () => {
    await toolgate(['down']);
    await rm(data, { recursive: true });
  });

  function toolgate(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ProgramEnd> {
    return new Promise((resolve, reject) => {
      const child = spawn(LAUNCHER, ['--data', data, ...args], {
        env: { ...process.env, TOOLGATE_LISTEN: '127.0.0.1:0', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const seen = { stdout: '', stderr: '' };
      child.stdout.on('data', chunk => {
        seen.stdout += String(chunk);
      });
      child.stderr.on('data', chunk => {
        seen.stderr += String(chunk);
      });
      child.once('error', reject);
      child.once('close', code => resolve({ code, ...seen }));
    });
  }

  async function pidOf(name: string): Promise<number> {
    return JSON.parse(await readFile(join(data, 'pids', `${name}.json`), 'utf8')).pid;
  }

  it('starts everything and lets the example agent find the right number', async () => {
    const end = await toolgate(['up', '--demo']);
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(end.stdout).toContain('✓ Sandbox executor started');
    expect(end.stdout).toContain('✓ Gateway started');
    expect(end.stdout).toContain('│ Bash wants to run');
    expect(end.stdout).toContain('The demo approves this with the token of the owner.');
    expect(end.stdout).toContain('✗ DENIED (DENIED_BY_POLICY)');
    expect(end.stdout).toContain('The total revenue without cancelled orders is 40,355.80.');
    expect(end.stdout).toMatch(/times .*set-up [\d.]+ s, start [\d.]+ s, demo [\d.]+ s/);
  });

  it('lets nobody else read what it keeps', async () => {
    const paths = [
      '',
      'tokens',
      'logs',
      'toolgate.yaml',
      'tokens/owner.token',
      'tokens/executor-sandbox.token',
    ];
    for (const path of paths) expect((await stat(join(data, path))).mode & 0o077).toBe(0);
  });

  it('changes nothing when everything runs', async () => {
    const before = [await pidOf('gateway'), await pidOf('sandbox-executor')];
    const end = await toolgate(['--json', 'up']);
    expect(JSON.parse(end.stdout)).toMatchObject({ started: [] });
    expect([await pidOf('gateway'), await pidOf('sandbox-executor')]).toEqual(before);
  });

  it('starts again only what was killed', async () => {
    const executor = await pidOf('sandbox-executor');
    process.kill(await pidOf('gateway'), 'SIGKILL');
    const end = await toolgate(['--json', 'up']);
    expect(JSON.parse(end.stdout)).toMatchObject({ started: ['gateway'] });
    expect(await pidOf('sandbox-executor')).toBe(executor);
  });

  it('runs a command in a sandbox of its own', async () => {
    const running = await toolgate(['call', 'Bash', '{"command": "pwd; id -u"}']);
    expect(running).toMatchObject({ code: 0, stderr: '' });
    expect(running.stdout).toContain('│ /workspace');
    expect(running.stdout).not.toContain('│ 0');
  });

  it('finds nothing wrong', async () => {
    const end = await toolgate(['doctor']);
    expect(end.stdout).not.toContain('✗');
    expect(end.code).toBe(0);
    expect(await toolgate(['status'])).toMatchObject({ code: 0 });
  });

  it('stops both, and once more is no error', async () => {
    expect(await toolgate(['down'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The gateway has stopped\.\nThe sandbox executor has stopped\.\n/),
    });
    expect(await toolgate(['down'])).toMatchObject({ code: 0, stdout: 'Nothing runs.\n' });
    expect(await toolgate(['status'])).toMatchObject({
      code: 4,
      stderr: `The gateway of ${data} does not run: start it with "npm start" or "toolgate up".\n`,
    });
  });

  it('names the port that another program holds', async () => {
    const holder = createServer();
    await new Promise<void>(resolve => holder.listen(0, '127.0.0.1', resolve));
    const address = holder.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const end = await toolgate(['up'], { TOOLGATE_LISTEN: `127.0.0.1:${port}` });
    holder.close();
    expect(end.code).toBe(1);
    expect(end.stderr).toContain(`Another program holds port ${port} of 127.0.0.1`);
  });

  it('says in one sentence that the Docker it was told to use does not answer', async () => {
    const end = await toolgate(['up'], { DOCKER_HOST: 'unix:///nowhere/docker.sock' });
    expect(end.code).toBe(1);
    expect(end.stdout).toContain('✗ Docker');
    expect(end.stderr).toMatch(
      /^Docker at DOCKER_HOST=unix:\/\/\/nowhere\/docker\.sock does not answer .*\n$/,
    );
  });
});
