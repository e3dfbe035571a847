import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  Health,
  HealthCheckRequestSchema,
  type HealthCheckResponse,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from '#gen/grpc/health/v1/health_pb.ts';
import { createTestAuthority, type TestAuthority, type TestCertificate } from '#test/test-certificates.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';

/** What a client knows and shows. */
interface Identity {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

const PROTOCOLS: [string, (baseUrl: string, nodeOptions: Identity) => Transport][] = [
  [
    'Connect over HTTP/1.1',
    (baseUrl, nodeOptions) => createConnectTransport({ baseUrl, nodeOptions, httpVersion: '1.1' }),
  ],
  [
    'Connect over HTTP/2',
    (baseUrl, nodeOptions) => createConnectTransport({ baseUrl, nodeOptions, httpVersion: '2' }),
  ],
  ['gRPC', (baseUrl, nodeOptions) => createGrpcTransport({ baseUrl, nodeOptions })],
  [
    'gRPC-Web over HTTP/1.1',
    (baseUrl, nodeOptions) => createGrpcWebTransport({ baseUrl, nodeOptions, httpVersion: '1.1' }),
  ],
];

let folder: string;
let authority: TestAuthority;
let stranger: TestAuthority;
let server: TestCertificate;
let later: TestCertificate;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-tls-'));
  authority = await createTestAuthority(folder, 'authority');
  stranger = await createTestAuthority(folder, 'stranger');
  server = await authority.sign('server');
  later = await authority.sign('later');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const startWith = (tls: object): Promise<TestGateway> => startTestGateway({ settings: { tls } });

function checkWithGrpcJs(address: string, ca: string): Promise<HealthCheckResponse> {
  const client = new Client(new URL(address).host, credentials.createSsl(Buffer.from(ca)));
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      () => Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema))),
      bytes => fromBinary(HealthCheckResponseSchema, bytes),
      {},
      (error, response) => {
        client.close();
        if (response === undefined) reject(error);
        else resolve(response);
      },
    );
  });
}

describe('a gateway with a certificate', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startWith({ certFile: server.certFile, keyFile: server.keyFile });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(PROTOCOLS)('answers %s to a client that trusts its CA, and no other', async (_name, transport) => {
    const check = (ca: string) => createClient(Health, transport(gateway.address, { ca })).check({});
    expect((await check(authority.ca)).status).toBe(Status.SERVING);
    await expect(check(stranger.ca)).rejects.toThrow(/certificate|issuer/);
  });

  it('answers an independent gRPC library', async () => {
    expect((await checkWithGrpcJs(gateway.address, authority.ca)).status).toBe(Status.SERVING);
    await expect(checkWithGrpcJs(gateway.address, stranger.ca)).rejects.toThrow(/certificate|issuer/);
  });
});

describe('a gateway that wants client certificates', () => {
  it('answers those of its CA only', async () => {
    const { certFile, keyFile } = server;
    await using gateway = await startWith({ certFile, keyFile, clientCaFile: authority.caFile });
    const own = await authority.sign('client');
    const foreign = await stranger.sign('foreign');
    const check = (shown: object) =>
      createClient(
        Health,
        createGrpcTransport({ baseUrl: gateway.address, nodeOptions: { ca: authority.ca, ...shown } }),
      ).check({});
    expect((await check({ cert: own.cert, key: own.key })).status).toBe(Status.SERVING);
    await expect(check({})).rejects.toThrow();
    await expect(check({ cert: foreign.cert, key: foreign.key })).rejects.toThrow();
  });
});

describe('certificate files', () => {
  it('are taken into use when they change, while earlier streams go on', async () => {
    const certFile = join(folder, 'live.pem');
    const keyFile = join(folder, 'live.key');
    await copyFile(server.certFile, certFile);
    await copyFile(server.keyFile, keyFile);
    await using gateway = await startWith({ certFile, keyFile });
    const client = (ca: string) =>
      createClient(Health, createGrpcTransport({ baseUrl: gateway.address, nodeOptions: { ca } }));
    const leaving = new AbortController();
    const stream = client(authority.ca).watch({}, { signal: leaving.signal })[Symbol.asyncIterator]();
    expect((await stream.next()).value?.status).toBe(Status.SERVING);
    const next = stream.next();
    const replacement = await stranger.sign('replacement');
    await copyFile(replacement.certFile, certFile);
    await copyFile(replacement.keyFile, keyFile);
    await vi.waitFor(() => expect(gateway.logLines.join('')).toContain('new certificate in use'), {
      timeout: 20_000,
    });
    expect((await client(stranger.ca).check({})).status).toBe(Status.SERVING);
    await expect(client(authority.ca).check({})).rejects.toThrow(/certificate|issuer/);
    expect(await Promise.race([next, Promise.resolve('still open')])).toBe('still open');
    leaving.abort();
    await expect(next).rejects.toThrow(/abort/);
  });

  it('stop the start with one clear error when they do not fit or others may read the key', async () => {
    await expect(startWith({ certFile: server.certFile, keyFile: later.keyFile })).rejects.toThrow(
      /^tls: .*later\.key is not the key of the certificate in .*server\.pem$/,
    );
    await chmod(later.keyFile, 0o644);
    await expect(startWith({ certFile: later.certFile, keyFile: later.keyFile })).rejects.toThrow(
      /^tls: .*later\.key may be read by others; make it mode 0600$/,
    );
  });
});
