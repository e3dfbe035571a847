import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { connectExecutor } from '#kit/executor-client.ts';
import { bodies, callTool, resultText } from '#test/agent-turn.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import { type NodeProgram, startNodeProgram } from '../../../bench/support/node-program.ts';
import { createTokenFile, type TokenFile } from '../../../bench/support/token-file.ts';

describe('The example executor', () => {
  let token: TokenFile;
  let executor: NodeProgram;
  let gateway: TestGateway;

  beforeAll(async () => {
    token = await createTokenFile();
    executor = await startNodeProgram({
      mainFile: join('examples', 'executors', 'noop', 'main.ts'),
      args: ['--port', '0', '--token-file', token.path],
    });
    gateway = await startTestGateway({
      settings: { executors: [{ name: 'noop', address: executor.address, tokenFile: token.path }] },
    });
  });

  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await executor?.[Symbol.asyncDispose]();
    await token?.[Symbol.asyncDispose]();
  });

  test('runs its tools for a client of the gateway, without a question', async () => {
    const { session } = await gateway.owner.sessions.createSession({
      agent: { case: 'definition', value: { name: 'calls' } },
    });
    const sessionId = session?.sessionId ?? '';
    const argumentsJson = JSON.stringify({ text: 'hello\n' });
    const echoed = await callTool(gateway.owner, { sessionId, toolName: 'echo', argumentsJson });
    const [result] = bodies(echoed, 'toolResultEnd');
    expect(result?.result?.outcome).toBe(Outcome.SUCCESS);
    expect(resultText(result?.result)).toBe('hello\n');
    const nothing = await callTool(gateway.owner, { sessionId, toolName: 'noop' });
    expect(bodies(nothing, 'toolCallEnd')[0]?.outcome).toBe(Outcome.SUCCESS);
  });

  test('lets nobody in who does not hold its token', async () => {
    const link = connectExecutor({ address: executor.address, token: () => 'wrong' });
    const refusal = await link.client.describe({}).catch(ConnectError.from);
    link.close();
    expect(refusal).toBeInstanceOf(ConnectError);
    expect((refusal as ConnectError).code).toBe(Code.Unauthenticated);
  });
});
