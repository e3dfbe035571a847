import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections can be cut, as a network does it. */
export interface CuttableProxy extends AsyncDisposable {
  /** `http://host:port` in front of the target. */
  readonly address: string;
  /** Breaks every connection; new ones are let through. */
  cut(): void;
}

/** Starts a proxy in front of `http://host:port`. */
export async function startCuttableProxy(target: string): Promise<CuttableProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer(inner => {
    const outer = connect(Number(port), hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
