import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { pullImage } from '../../../cli/setup/pull-image.ts';

const { signal } = new AbortController();

/** Docker speaks plain HTTP to registries on the loopback network. */
async function startRegistry(
  onConnection: (socket: Socket) => void,
): Promise<{ server: Server; name: string }> {
  const server = createServer(onConnection);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    server,
    name: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}/debian:bookworm-slim`,
  };
}

describe('pulling the base image', () => {
  it('gives up on a registry that takes the connection and says nothing', async () => {
    const sockets: Socket[] = [];
    const { server, name } = await startRegistry(socket => sockets.push(socket));
    const end = await pullImage(name, { signal, firstAnswerTimeoutMs: 500 });
    for (const socket of sockets) socket.destroy();
    server.close();
    expect(end).toEqual({ kind: 'failed', problem: 'no registry answered in 0.5 s' });
  });

  it('tells what a registry said that refuses', async () => {
    const { server, name } = await startRegistry(socket =>
      socket.on('data', () => socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n')),
    );
    const end = await pullImage(name, { signal });
    server.close();
    expect(end).toEqual({ kind: 'failed', problem: expect.stringContaining('503') });
  });

  it('notices at once that nobody is there', async () => {
    const end = await pullImage('127.0.0.1:1/debian:bookworm-slim', { signal });
    expect(end).toEqual({ kind: 'failed', problem: expect.stringContaining('connection refused') });
  });
});
