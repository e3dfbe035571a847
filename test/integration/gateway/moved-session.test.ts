import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { bodies, callTool, newSession, resultText } from '#test/agent-turn.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import { startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';

describe('a session that moves between its calls', () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  let sessionId = '';

  beforeAll(async () => {
    sandbox = await startTestSandbox();
    gateway = await startTestGateway({
      agents: { plain: { model: 'script:none.yaml' } },
      scripts: { 'none.yaml': { turns: [{ text: 'nothing' }] } },
      executors: [{ name: 'sandbox', address: sandbox.address, token: sandbox.config.token }],
      rules: [
        { tool: 'Bash', behavior: 'allow' },
        { tool: 'Write', content: '/locked/*.txt', behavior: 'deny' },
      ],
    });
    sessionId = await newSession(gateway.owner, 'plain');
  });
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await sandbox?.[Symbol.asyncDispose]();
  });

  async function bash(command: string) {
    const argumentsJson = JSON.stringify({ command });
    const events = await callTool(gateway.owner, { sessionId, toolName: 'Bash', argumentsJson });
    const [end] = bodies(events, 'toolResultEnd');
    return { decisions: bodies(events, 'toolCallDecided').length, result: end?.result };
  }

  it('has a call decided again that rested on the place it left, and runs it once', async () => {
    expect((await bash('pwd')).decisions).toBe(1);
    await bash('mkdir -p inner && cd inner');
    const moved = await bash('pwd');
    expect(moved.decisions).toBe(2);
    expect(moved.result?.outcome).toBe(Outcome.SUCCESS);
    expect(resultText(moved.result)).toMatch(/inner\n?$/);
    expect((await bash('pwd')).decisions).toBe(1);
  });

  it('cannot move its writes past a rule', async () => {
    sessionId = await newSession(gateway.owner, 'plain');
    await bash('mkdir locked && cd locked');
    const { result } = await bash('echo no > file.txt');
    expect(result?.outcome).toBe(Outcome.DENIED);
    expect((await bash('echo yes > file.md')).result?.outcome).toBe(Outcome.SUCCESS);
  });
});
