import { create, toJson } from '@bufbuild/protobuf';
import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { ExecutorState } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { SendMessageRequestSchema } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { allowing, endOf, newSession, playTurn, textContent } from '#test/agent-turn.ts';
import { codeOf } from '#test/code-of.ts';
import type { Protocol } from '#test/gateway-clients.ts';
import { callWithGrpcJs } from '#test/grpc-js-client.ts';
import { type ScriptedGateway, startScriptedGateway } from '#test/scripted-gateway.ts';
import { allEvents } from '#test/session-history.ts';

const SESSIONS = 'toolgate.gateway.v1.SessionService';

function post(
  { gateway, owner }: ScriptedGateway,
  method: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${gateway.address}/${SESSIONS}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}`, ...headers },
    body,
  });
}

async function jsonOf(response: Promise<Response>) {
  return (await (await response).json()) as { session: { sessionId: string }; messages: object[] };
}

async function codeAndText(response: Response): Promise<[number, string]> {
  const text = await response.text();
  try {
    return [response.status, JSON.parse(text).code];
  } catch {
    return [response.status, text];
  }
}

const asking = [{ calls: [{ tool: 'append', input: { line: 'x' } }] }, { text: 'Done.' }];

describe('the same turn', () => {
  it.each<Protocol>(['grpc', 'connect', 'grpc-web'])('runs over %s', async protocol => {
    await using scripted = await startScriptedGateway(asking);
    const clients = scripted.gateway.clients(scripted.owner.token, protocol);
    const sessionId = await newSession(clients, 'agent');
    const events = await playTurn(clients, sessionId, { onPending: allowing(clients, sessionId) });
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(await allEvents(clients, sessionId)).toEqual(events);
  });

  it('runs over plain JSON with no library at all', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const created = await jsonOf(post(scripted, 'CreateSession', '{"agentName":"agent"}'));
    const { sessionId } = created.session;
    const request = create(SendMessageRequestSchema, { sessionId, content: textContent('hello') });
    const body = Buffer.from(JSON.stringify(toJson(SendMessageRequestSchema, request)));
    const envelope = Buffer.alloc(5);
    envelope.writeUInt32BE(body.length, 1);
    const response = await fetch(`${scripted.gateway.address}/${SESSIONS}/SendMessage`, {
      method: 'POST',
      headers: {
        'content-type': 'application/connect+json',
        authorization: `Bearer ${scripted.owner.token}`,
      },
      body: Buffer.concat([envelope, body]),
    });
    expect(await response.text()).toContain('"stopReason":"STOP_REASON_COMPLETED"');
    const { messages } = await jsonOf(post(scripted, 'ListMessages', JSON.stringify({ sessionId })));
    expect(messages.length).toBe(2);
  });

  it('can be looked at by an independent gRPC library', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    await playTurn(scripted.owner, scripted.sessionId);
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${scripted.owner.token}`);
    const answer = await callWithGrpcJs({
      address: scripted.gateway.address,
      protoFile: 'toolgate/gateway/v1/session_service.proto',
      service: SESSIONS,
      method: 'ListMessages',
      request: { session_id: scripted.sessionId, sessionId: scripted.sessionId },
      metadata,
    });
    expect(answer).toMatchObject({
      messages: [{ role: 'MESSAGE_ROLE_USER' }, { role: 'MESSAGE_ROLE_ASSISTANT' }],
    });
  });
});

describe('a request', () => {
  it.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer tg_wrong' }],
    ['another scheme', { authorization: 'Basic abc' }],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('with %s is Unauthenticated, in every service but health', async (_name, headers) => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const paths = [
      `${SESSIONS}/GetSession`,
      'toolgate.gateway.v1.ToolService/ListTools',
      'toolgate.gateway.v1.PermissionService/ListRules',
      'toolgate.gateway.v1.ExecutorAdminService/ListExecutors',
      'toolgate.worker.v1.WorkerService/Register',
    ];
    const ask = async (path: string) => {
      const response = await fetch(`${scripted.gateway.address}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers } as Record<string, string>,
        body: '{}',
      });
      return codeAndText(response);
    };
    for (const path of paths) expect(await ask(path), path).toEqual([401, 'unauthenticated']);
    expect((await ask('grpc.health.v1.Health/Check'))[0]).toBe(200);
  });

  it('with a wrong token streams nothing either', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const stranger = scripted.gateway.clients('tg_wrong');
    const { sessionId } = scripted;
    expect(await codeOf(stranger.sessions.watchSession({ sessionId }))).toBe('Unauthenticated');
    expect(await codeOf(playTurn(stranger, sessionId))).toBe('Unauthenticated');
  });

  it.each([
    ['malformed JSON', 'GetSession', '{"sessionId": ', 400, 'invalid_argument'],
    ['a field of the wrong type', 'GetSession', '{"sessionId": 3}', 400, 'invalid_argument'],
    ['a field that does not exist', 'GetSession', '{"session": "x"}', 400, 'invalid_argument'],
    ['an unknown session', 'GetSession', '{"sessionId": "ses_none"}', 404, 'not_found'],
    ['no session', 'GetSession', '{}', 400, 'invalid_argument'],
  ])('with %s says so', async (_name, method, body, status, code) => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    expect(await codeAndText(await post(scripted, method, body))).toEqual([status, code]);
  });

  it('above the limit is ResourceExhausted, and the gateway goes on', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], {
      folder: { limits: { requestBytes: 10_000 } },
    });
    const { owner, sessionId } = scripted;
    expect(await codeOf(playTurn(owner, sessionId, { text: 'x'.repeat(20_000) }))).toBe('ResourceExhausted');
    const large = JSON.stringify({ sessionId: 'x'.repeat(20_000) });
    expect(await codeAndText(await post(scripted, 'GetSession', large))).toEqual([429, 'resource_exhausted']);
    expect(await codeOf(playTurn(owner, sessionId))).toBe('OK');
  });

  it.each([
    ['no content', { content: [] }, 'InvalidArgument'],
    ['content that is nothing', { content: [{}] }, 'InvalidArgument'],
    [
      'abandon_pending, which is not there yet',
      { content: textContent('x'), abandonPending: true },
      'Unimplemented',
    ],
  ])('to send a message with %s is refused', async (_name, fields, code) => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId } = scripted;
    expect(await codeOf(owner.sessions.sendMessage({ sessionId, ...fields }))).toBe(code);
  });

  it('for a method or service that does not exist is not found', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    expect((await post(scripted, 'Nothing', '{}')).status).toBe(404);
    expect((await fetch(`${scripted.gateway.address}/`)).status).toBe(404);
  });

  it('for what is not there yet answers Unimplemented', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    expect(await codeOf(scripted.owner.executors.addExecutor({ name: 'x', address: 'http://x' }))).toBe(
      'Unimplemented',
    );
    const { owner, sessionId } = scripted;
    expect(await codeOf(owner.sessions.updateSession({ sessionId, activeGroups: {} }))).toBe('Unimplemented');
  });
});

describe('a web page', () => {
  const origin = 'https://console.example.org';
  const allowed = { folder: { settings: { allowedOrigins: [origin] } } };

  it('of an origin that is not listed is refused, whatever its token', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], allowed);
    for (const other of [
      'https://evil.example',
      'null',
      `${origin}.evil.example`,
      'http://console.example.org',
    ]) {
      const response = await post(scripted, 'ListSessions', '{}', { origin: other });
      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('of a listed origin may ask first and then call', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], allowed);
    const preflight = await fetch(`${scripted.gateway.address}/${SESSIONS}/ListSessions`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    const response = await post(scripted, 'ListSessions', '{}', { origin });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('vary')).toContain('origin');
  });
});

describe('secrets', () => {
  it('are in no log line, no event and no error', async () => {
    await using scripted = await startScriptedGateway(asking);
    const { gateway, executor, owner, sessionId } = scripted;
    await playTurn(owner, sessionId, { onPending: allowing(owner, sessionId) });
    await codeOf(owner.tools.callTool({ sessionId, toolName: 'nothing' }));
    await codeOf(gateway.clients('tg_a-wrong-token').sessions.getSession({ sessionId }));
    await post(scripted, 'GetSession', '{', {});
    await executor[Symbol.asyncDispose]();
    await codeOf(owner.tools.callTool({ sessionId, toolName: 'echo' }));
    await expect
      .poll(async () => (await owner.executors.listExecutors({})).executors[0]?.state)
      .toBe(ExecutorState.UNREACHABLE);
    const said = [...gateway.logLines, JSON.stringify(await allEvents(owner, sessionId), String)].join('\n');
    expect(gateway.logLines.length).toBeGreaterThan(0);
    for (const secret of [owner.token, gateway.agent.token, executor.token, 'tg_a-wrong-token']) {
      expect(said).not.toContain(secret);
    }
  });
});
