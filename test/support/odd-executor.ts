import { createServer, type Socket } from 'node:net';
import type { ServiceImpl } from '@connectrpc/connect';
import { ExecutorService } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { durationFromMs } from '#kit/durations.ts';
import { manifestOf } from '#kit/manifest.ts';
import { startServer } from '#kit/one-port-server.ts';
import { testTools } from '#test/test-tools.ts';

/** An executor that does not do as it should, served without a token. */
export async function startOddExecutor(
  methods: Partial<ServiceImpl<typeof ExecutorService>>,
  leaseMs = 1_000,
): Promise<{ readonly address: string; readonly token: string } & AsyncDisposable> {
  const manifest = manifestOf(testTools.map(tool => tool.spec));
  const leaving = new AbortController();
  const server = await startServer({
    listen: { host: '127.0.0.1', port: 0 },
    interceptors: [],
    readMaxBytes: 1024 * 1024,
    routes: router =>
      router.service(ExecutorService, {
        describe: () => ({ name: 'odd', manifest, lease: durationFromMs(leaseMs) }),
        async *watchTools(_request, context) {
          yield { manifest };
          const signal = AbortSignal.any([context.signal, leaving.signal]);
          await new Promise<void>(resolve => {
            if (signal.aborted) resolve();
            else signal.addEventListener('abort', () => resolve(), { once: true });
          });
        },
        ...methods,
      }),
  });
  return {
    address: server.address,
    token: 'unused',
    [Symbol.asyncDispose]: async () => {
      leaving.abort();
      await server.close(0);
    },
  };
}

/** A port that takes connections and never says a word. */
export async function startSilentPort(): Promise<{ readonly address: string } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return {
    address: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
