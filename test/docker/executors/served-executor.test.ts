import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodies, callTool, newSession, resultText } from '#test/agent-turn.ts';
import { codeOf } from '#test/code-of.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import { testSandboxImage } from '#test/test-sandbox-image.ts';

const PORT = 7431;
const repository = fileURLToPath(new URL('../../..', import.meta.url));

describe('a served executor in a container of its own', () => {
  let container: StartedTestContainer;
  let gateway: TestGateway;

  beforeAll(async () => {
    const token = randomUUID();
    container = await new GenericContainer(testSandboxImage())
      .withLabels({ 'dev.toolgate.test': randomUUID() })
      .withBindMounts([
        { source: repository, target: '/app', mode: 'ro' },
        { source: process.execPath, target: '/usr/local/bin/node', mode: 'ro' },
      ])
      .withWorkingDir('/app')
      .withCopyContentToContainer([{ content: token, target: '/run/executor.token', mode: 0o444 }])
      .withEntrypoint(['/usr/local/bin/node'])
      .withCommand(['examples/executors/noop/main.ts', '--host=0.0.0.0', '--token-file=/run/executor.token'])
      .withExposedPorts(PORT)
      .withWaitStrategy(Wait.forLogMessage('ready'))
      .start();
    const address = `http://127.0.0.1:${container.getMappedPort(PORT)}`;
    gateway = await startTestGateway({
      agents: { plain: { model: 'script:none.yaml' } },
      scripts: { 'none.yaml': { turns: [{ text: 'nothing' }] } },
      executors: [{ name: 'noop', address, token }],
      rules: [{ tool: 'echo', behavior: 'allow' }],
    });
  });
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await container?.stop({ timeout: 0 });
  });

  it('runs calls that the gateway dispatches to its published port', async () => {
    const sessionId = await newSession(gateway.owner, 'plain');
    const events = await callTool(gateway.owner, {
      sessionId,
      toolName: 'echo',
      argumentsJson: '{"text":"from another container"}',
    });
    expect(bodies(events, 'toolResultEnd').map(({ result }) => resultText(result))).toEqual([
      'from another container',
    ]);
  });

  it('is unavailable, and nothing hangs, once its container is gone', async () => {
    const sessionId = await newSession(gateway.owner, 'plain');
    await container.stop({ timeout: 0 });
    const call = callTool(gateway.owner, { sessionId, toolName: 'echo', argumentsJson: '{"text":"hello"}' });
    expect(await codeOf(call)).toBe('Unavailable');
  });
});
