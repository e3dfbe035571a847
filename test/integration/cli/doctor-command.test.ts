import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { completeProvider, knownProviderNames } from '#gateway/models/provider-config.ts';
import { clockProblem } from '../../../cli/doctor/clock-problem.ts';
import { examineAgents, KEY_VARIABLES } from '../../../cli/doctor/examine-agents.ts';
import { examineDataFolder } from '../../../cli/doctor/examine-data-folder.ts';
import type { Finding } from '../../../cli/doctor/finding.ts';
import { createDataFolder, type DataFolder, dataFolderAt } from '../../../cli/processes/data-folder.ts';
import { writePidFile } from '../../../cli/processes/pid-file.ts';
import { portHolder } from '../../../cli/processes/port-holder.ts';
import { startCli, startCliFixture } from './cli-fixture.ts';

function problems(findings: Iterable<Finding>): Record<string, string> {
  const wrong = [...findings].filter(({ problem }) => problem !== undefined);
  return Object.fromEntries(wrong.map(({ what, problem }) => [what, problem ?? '']));
}

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(socket => socket.end());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

describe('what the doctor finds in a data folder', () => {
  let folder: DataFolder;
  beforeEach(async () => {
    folder = dataFolderAt(await mkdtemp(join(tmpdir(), 'toolgate-doctor-')));
    createDataFolder(folder);
  });
  afterEach(() => rm(folder.root, { recursive: true }));

  it('is nothing when all is well', async () => {
    await writeFile(folder.tokens.owner, 'x', { mode: 0o600 });
    writePidFile(folder.pidFiles.gateway, process.pid);
    expect(problems(examineDataFolder(folder, Date.now() + 1_000))).toEqual({});
  });

  it('are rights that let others in, with the command that mends them', async () => {
    await writeFile(folder.tokens.owner, 'x', { mode: 0o644 });
    await chmod(folder.tokens.owner, 0o644);
    await chmod(folder.root, 0o755);
    expect(problems(examineDataFolder(folder, Date.now()))).toMatchObject({
      [`Data folder ${folder.root}`]: expect.stringContaining(`"chmod 700 ${folder.root}"`),
      'Token owner': expect.stringContaining(`"chmod 600 ${folder.tokens.owner}"`),
    });
  });

  it('is a process that ended without a word', async () => {
    const child = spawn('sleep', ['60']);
    writePidFile(folder.pidFiles.gateway, child.pid ?? 0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(problems(examineDataFolder(folder, Date.now()))).toEqual({
      'Gateway process': expect.stringContaining('it ended without a word'),
    });
  });

  it('is a clock that was set back since', async () => {
    const future = new Date(Date.now() + 7_200_000);
    await utimes(folder.logs, future, future);
    expect(problems(examineDataFolder(folder, Date.now()))).toEqual({
      'Clock of the disk': expect.stringMatching(/^the clock of the disk is (1|2) h ahead of this one/),
    });
  });

  it.each([
    [4_900, undefined],
    [-4_900, undefined],
    [61_000, 'the clock of Docker is 1 min ahead of this one'],
    [-61_000, 'the clock of Docker is 1 min behind this one'],
  ])('judges a clock that is %i ms ahead', (aheadMs, text) => {
    const problem = clockProblem('Docker', aheadMs);
    if (text === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(text);
  });
});

describe('what the doctor finds about agents', () => {
  let folder: DataFolder;
  beforeEach(async () => {
    folder = dataFolderAt(await mkdtemp(join(tmpdir(), 'toolgate-doctor-')));
  });
  afterEach(() => rm(folder.root, { recursive: true }));

  async function agent(name: string, yaml: string): Promise<void> {
    await mkdir(join(folder.root, 'agents', name), { recursive: true });
    await writeFile(join(folder.root, 'agents', name, 'agent.yaml'), yaml);
  }

  it('is each model whose key the gateway does not have, and how to give it', async () => {
    await writeFile(
      folder.gatewayYaml,
      stringify({ models: { providers: { own: { baseUrl: 'http://x', apiKeyFile: 'own.key' } } } }),
    );
    await agent('a-script', 'model: script:a.yaml');
    await agent('b-set', 'model: anthropic:claude');
    await agent('c-unset', 'model: "openai:gpt-5, then dashscope:qwen-plus, then ollama:llama"');
    await agent('d-file', 'model: own:x');
    await agent('e-unknown', 'model: nobody:x');
    await agent('f-broken', 'model: [');
    await agent('g-none', 'instructions: x');
    const found = problems(examineAgents(folder, name => name === 'ANTHROPIC_API_KEY'));
    expect(Object.keys(found)).toEqual([
      'Agent c-unset',
      'Agent d-file',
      'Agent e-unknown',
      'Agent f-broken',
      'Agent g-none',
    ]);
    expect(found['Agent c-unset']).toMatch(
      /openai:gpt-5 has no key: set OPENAI_API_KEY .* set DASHSCOPE_API_KEY/,
    );
    expect(found['Agent d-file']).toContain('own.key is missing');
    expect(found['Agent e-unknown']).toContain('no model provider "nobody"');
    expect(found['Agent f-broken']?.split('\n')).toHaveLength(1);
    await writeFile(join(folder.root, 'own.key'), 'secret');
    expect(problems(examineAgents(folder, () => true))).not.toHaveProperty('Agent d-file');
  });

  it('is that their folder is missing', async () => {
    await writeFile(folder.gatewayYaml, 'agentsDir: nowhere\n');
    expect(problems(examineAgents(folder, () => true))).toEqual({
      Agents: expect.stringContaining('nowhere is missing'),
    });
  });

  it('goes by the same variables as the gateway', () => {
    const known = knownProviderNames.map(name => {
      const provider = completeProvider(name, { headers: {}, settings: {} });
      return [name, 'missing' in provider ? 'missing' : provider.apiKeyEnv];
    });
    expect(Object.fromEntries(known)).toEqual(KEY_VARIABLES);
  });
});

describe('what the doctor finds about a gateway', () => {
  it('is nothing when it answers and takes the token, but each executor that is not ready', async () => {
    await using fixture = await startCliFixture({
      scripts: {},
      executors: [{ name: 'gone', address: 'http://127.0.0.1:1', token: 'x' }],
    });
    const { stdout, exitCode } = await fixture.run(['doctor']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`✓ Gateway at ${fixture.address}\n✓ Clock of the gateway\n✓ Token\n`);
    expect(stdout).toMatch(/^✗ Executor gone: .+: start it at http:\/\/127\.0\.0\.1:1, or correct /m);
    const wrong = await fixture.run(['--json', 'doctor'], { env: { TOOLGATE_TOKEN: 'wrong' } });
    const findings = wrong.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(findings.at(-1)).toEqual({
      what: 'Token',
      problem: expect.stringContaining('does not know this token'),
    });
  });

  it('is which program holds its port', async () => {
    const { server, port } = await listening();
    const { stdout } = await startCli(['--address', `http://127.0.0.1:${port}`, 'doctor'], {}).end;
    server.close();
    expect(stdout).toMatch(
      new RegExp(
        `✗ Gateway at http://127\\.0\\.0\\.1:${port}: .*process ${process.pid} listens there and is no gateway`,
      ),
    );
  });

  it('is which program holds the port it is configured for', async () => {
    const { server, port } = await listening();
    const data = await mkdtemp(join(tmpdir(), 'toolgate-doctor-'));
    await mkdir(join(data, 'agents'));
    await writeFile(join(data, 'toolgate.yaml'), stringify({ listen: { port } }), { mode: 0o600 });
    const { stdout } = await startCli(['--data', data, 'doctor'], {}).end;
    server.close();
    await rm(data, { recursive: true });
    expect(stdout).toMatch(
      new RegExp(
        `✗ Gateway: Another program holds port ${port} of 127\\.0\\.0\\.1 \\(.*, process ${process.pid}\\): choose`,
      ),
    );
  });

  it('is no holder for a port that nobody listens on', async () => {
    const { server, port } = await listening();
    expect(portHolder(port)).toContain(`process ${process.pid}`);
    await new Promise(resolve => server.close(resolve));
    expect(portHolder(port)).toBeUndefined();
  });

  it('is one line when its configuration cannot be read', async () => {
    const data = await mkdtemp(join(tmpdir(), 'toolgate-doctor-'));
    await writeFile(join(data, 'toolgate.yaml'), 'listen: [', { mode: 0o600 });
    const { stdout, stderr, exitCode } = await startCli(['--data', data, 'doctor'], {}).end;
    await rm(data, { recursive: true });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 1 });
    expect(stdout).toMatch(/✗ Configuration: .*toolgate\.yaml cannot be read: .*\n$/);
  });
});
