import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildGrpcurl, grpcurl } from '#test/grpcurl.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';

const program = await buildGrpcurl();
if (program === undefined) {
  if (process.env['CI'] !== undefined) throw new Error('grpcurl needs Go, which is not installed');
  process.stderr.write('grpcurl is not tried: there is no Go on this machine\n');
}

describe.skipIf(program === undefined)('grpcurl, with nothing but the address', () => {
  let gateway: TestGateway;
  let target = '';
  const curl = (...args: string[]) => grpcurl(program ?? '', ['-plaintext', ...args]);

  beforeAll(async () => {
    gateway = await startTestGateway({
      agents: { hello: { model: 'script:hello.yaml' } },
      scripts: { 'hello.yaml': { turns: [{ text: 'Hello there.' }] } },
    });
    target = gateway.address.slice('http://'.length);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('lists every service', async () => {
    const { stdout } = await curl(target, 'list');
    expect(stdout.trim().split('\n')).toEqual(
      expect.arrayContaining([
        'grpc.health.v1.Health',
        'toolgate.gateway.v1.SessionService',
        'toolgate.gateway.v1.ToolService',
        'toolgate.worker.v1.WorkerService',
      ]),
    );
  });

  it('describes services, methods and messages', async () => {
    const service = await curl(target, 'describe', 'toolgate.gateway.v1.SessionService');
    expect(service.stdout).toContain('rpc SendMessage');
    const message = await curl(target, 'describe', 'toolgate.tool.v1.ToolSpec');
    expect(message.stdout).toContain('string input_schema_json');
    const method = await curl(target, 'describe', 'toolgate.gateway.v1.ToolService.CallTool');
    expect(method.stdout).toContain('stream .toolgate.gateway.v1.CallToolResponse');
  });

  it('says plainly what is not there', async () => {
    const { code, stderr } = await curl(target, 'describe', 'toolgate.gateway.v1.NoSuchService');
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining('NoSuchService')]);
  });

  it('calls: a whole turn over the wire', async () => {
    const token = await gateway.folder.token('agent');
    const call = async (method: string, request: object): Promise<string> => {
      const args = ['-H', `authorization: Bearer ${token}`, '-d', JSON.stringify(request), target, method];
      const { stdout, stderr } = await curl(...args);
      expect(stderr).toBe('');
      return stdout;
    };
    const created = JSON.parse(
      await call('toolgate.gateway.v1.SessionService/CreateSession', { agentName: 'hello' }),
    );
    const events = await call('toolgate.gateway.v1.SessionService/SendMessage', {
      sessionId: created.session.sessionId,
      content: [{ text: { text: 'hi' } }],
    });
    expect(events).toContain('Hello there.');
    expect(events).toContain('STOP_REASON_COMPLETED');
  });

  it('hears which method is not there', async () => {
    const proto = ['-import-path', 'proto', '-proto', 'toolgate/executor/v1/executor_service.proto'];
    const { stderr } = await curl(...proto, target, 'toolgate.executor.v1.ExecutorService/Describe');
    expect(stderr).toContain('Code: Unimplemented');
    expect(stderr).toContain('there is no method /toolgate.executor.v1.ExecutorService/Describe here');
  });

  it('calls nothing without a token', async () => {
    const { stderr } = await curl('-d', '{}', target, 'toolgate.gateway.v1.SessionService/ListSessions');
    expect(stderr).toContain('Code: Unauthenticated');
  });
});
