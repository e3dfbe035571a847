import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Outcome, OutcomeReason, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { LABEL } from '#sandbox/container-options.ts';
import { newSession, resultText } from '#test/agent-turn.ts';
import { codeOf, messageOf } from '#test/code-of.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import { startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';

const settings = {
  agents: { plain: { model: 'script:none.yaml' } },
  scripts: { 'none.yaml': { turns: [{ text: 'nothing' }] } },
  rules: [{ tool: 'Bash', behavior: 'allow' }],
};

function gatewayOf(sandbox: TestSandbox): Promise<TestGateway> {
  const executors = [{ name: 'sandbox', address: sandbox.address, token: sandbox.config.token }];
  return startTestGateway({ ...settings, executors });
}

describe('a sandbox that is lost', () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  let sessionId = '';

  beforeAll(async () => {
    sandbox = await startTestSandbox({ type: 'DOCKER' });
    gateway = await gatewayOf(sandbox);
    sessionId = await newSession(gateway.owner, 'plain');
  });
  afterAll(async () => {
    if (sessionId !== '') await gateway.owner.sessions.deleteSession({ sessionId });
    await gateway?.[Symbol.asyncDispose]();
    await sandbox?.[Symbol.asyncDispose]();
  });

  async function bash(command: string, onText: { text: string; react: () => Promise<void> } | undefined) {
    const { tools } = gateway.owner;
    const call = tools.callTool({ sessionId, toolName: 'Bash', argumentsJson: JSON.stringify({ command }) });
    const ends: (ToolResult | undefined)[] = [];
    for await (const { event } of call) {
      const body = event?.event;
      if (body?.case === 'toolResultTextDelta' && body.value.text.includes(onText?.text ?? '\0')) {
        await onText?.react();
      }
      if (body?.case === 'toolResultEnd') ends.push(body.value.result);
    }
    return ends;
  }

  async function killContainer(): Promise<void> {
    const docker = new Docker();
    const label = [`${LABEL.owner}=${sandbox.config.owner}`];
    for (const { Id } of await docker.listContainers({ filters: { label } })) {
      await docker.getContainer(Id).kill({ signal: 'SIGKILL' });
    }
  }

  it('ends the call with that outcome and what it had said, and the next call has the files', async () => {
    const command = 'echo kept > kept.txt; echo begun; sleep 60';
    const [lost, ...more] = await bash(command, { text: 'begun', react: killContainer });
    expect(more).toEqual([]);
    expect(lost).toMatchObject({ outcome: Outcome.ERROR, reason: OutcomeReason.SANDBOX_LOST });
    expect(resultText(lost)).toContain('begun');
    const [next] = await bash('cat kept.txt', undefined);
    expect(next).toMatchObject({ outcome: Outcome.SUCCESS });
    expect(resultText(next)).toContain('kept');
  });
});

describe('an executor whose Docker does not answer', () => {
  it('is one clear error that names the socket, and nothing hangs', async () => {
    const dockerSocket = join('/tmp', `no-docker-${randomUUID()}.sock`);
    await using sandbox = await startTestSandbox({ type: 'DOCKER', dockerSocket });
    await using gateway = await gatewayOf(sandbox);
    const sessionId = await newSession(gateway.owner, 'plain');
    const call = () =>
      gateway.owner.tools.callTool({ sessionId, toolName: 'Bash', argumentsJson: '{"command":"true"}' });
    expect(await codeOf(call())).toBe('Unavailable');
    expect(await messageOf(call())).toContain(dockerSocket);
  });
});
