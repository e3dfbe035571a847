import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { afterEach, describe, expect, it } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import { connectExecutor } from '#kit/executor-client.ts';
import { createHealth } from '#kit/health.ts';
import { type RunningServer, type ServerOptions, startServer } from '#kit/one-port-server.ts';
import { callWithGrpcJs } from '#test/grpc-js-client.ts';

const running: RunningServer[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.close(0);
});

async function serve(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const health = createHealth([]);
  const server = await startServer({
    routes: health.routes,
    listen: { host: '127.0.0.1', port: 0 },
    interceptors: [],
    readMaxBytes: 1024,
    ...options,
  });
  running.push(server);
  return server;
}

describe('one port', () => {
  it.each([
    ['Connect over HTTP/1.1', (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
    ['Connect over HTTP/2', (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '2' })],
    ['gRPC', (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ['gRPC-Web over HTTP/1.1', (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ])('answers %s', async (_name, transport) => {
    const server = await serve();
    const answer = await createClient(Health, transport(server.address)).check({});
    expect(answer.status).toBe(Status.SERVING);
  });

  it('answers plain JSON over HTTP/1.1', async () => {
    const server = await serve();
    const response = await fetch(`${server.address}/grpc.health.v1.Health/Check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await response.json()).toEqual({ status: 'SERVING' });
  });

  it('answers an independent gRPC library', async () => {
    const server = await serve();
    const answer = await callWithGrpcJs({
      address: server.address,
      protoFile: 'grpc/health/v1/health.proto',
      service: 'grpc.health.v1.Health',
      method: 'Check',
      request: {},
    });
    expect(answer).toEqual({ status: 'SERVING' });
  });

  it('ends at once although a client keeps its idle connection open', async () => {
    const server = await serve();
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    await (await fetch(`${server.address}/grpc.health.v1.Health/Check`, request)).text();
    const askedAt = performance.now();
    await server.close(10_000);
    expect(performance.now() - askedAt).toBeLessThan(2_000);
  });

  it('tells the protocol apart when the first bytes come one by one', async () => {
    const server = await serve();
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    const text =
      'POST /grpc.health.v1.Health/Check HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}';
    for (const byte of text.slice(0, 5)) {
      socket.write(byte);
      await new Promise(resolve => setImmediate(resolve));
    }
    socket.end(text.slice(5));
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toContain('200 OK');
    expect(answer).toContain('SERVING');
  });

  it('goes on while a client has sent only the beginning of the preface, and takes the rest', async () => {
    const server = await serve();
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    socket.write('PRI');
    await new Promise(resolve => setTimeout(resolve, 50));
    const client = createClient(Health, createGrpcTransport({ baseUrl: server.address }));
    expect((await client.check({}, { timeoutMs: 2_000 })).status).toBe(Status.SERVING);
    const settings = new Promise<Buffer>(resolve => socket.once('data', resolve));
    socket.write(' * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
    expect((await settings)[3]).toBe(4);
    socket.destroy();
  });

  it('serves a Unix socket', async () => {
    const socketPath = join(await mkdtemp(join(tmpdir(), 'tg-')), 's');
    const server = await serve({ listen: { socketPath } });
    expect(server.address).toBe(`unix:${socketPath}`);
    const link = connectExecutor({ address: server.address });
    await expect(link.client.describe({})).rejects.toThrow(/unimplemented/i);
    link.close();
  });

  it('refuses a message above the limit', async () => {
    const server = await serve();
    const client = createClient(Health, createGrpcTransport({ baseUrl: server.address }));
    await expect(client.check({ service: 'x'.repeat(2000) })).rejects.toThrow(/resource_exhausted/);
  });

  it('turns away what the guard refuses', async () => {
    const server = await serve({ guard: () => ({ status: 403, text: 'not from there' }) });
    const response = await fetch(server.address);
    expect([response.status, await response.text()]).toEqual([403, 'not from there']);
  });

  it('ends watchers when it closes and their time is over', async () => {
    const server = await serve();
    const stream = createClient(Health, createGrpcTransport({ baseUrl: server.address })).watch({});
    const messages = stream[Symbol.asyncIterator]();
    await messages.next();
    await server.close(50);
    await expect(messages.next()).rejects.toThrow();
  });
});
