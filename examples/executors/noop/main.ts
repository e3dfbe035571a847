import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { requireBearer } from '#kit/bearer-auth.ts';
import { CallTable } from '#kit/call-table.ts';
import { mapErrors } from '#kit/error-mapping.ts';
import { createHealth } from '#kit/health.ts';
import { createLogger } from '#kit/logger.ts';
import { startServer } from '#kit/one-port-server.ts';
import { EXECUTOR_NAME, noopRoutes } from './noop-executor.ts';

/** Largest request message; arguments of a call rarely need more. */
const READ_LIMIT_BYTES = 8 * 1024 * 1024;
/** Time that running requests have at the end; their calls have been cancelled by then. */
const CLOSE_GRACE_MS = 1_000;

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '7431' },
    'token-file': { type: 'string' },
  },
});
const { host, port, 'token-file': tokenFile } = values;
if (tokenFile === undefined) {
  process.stderr.write('--token-file is missing: name the file with the token that the gateway sends.\n');
  process.exit(2);
}

const logger = createLogger({ name: EXECUTOR_NAME, level: 'info' });
const shutdown = new AbortController();
const calls = new CallTable({ logger });
const health = createHealth([]);
const server = await startServer({
  listen: { host, port: Number(port) },
  readMaxBytes: READ_LIMIT_BYTES,
  interceptors: [mapErrors(logger), requireBearer(readFileSync(tokenFile, 'utf8').trim())],
  routes: router => {
    health.routes(router);
    noopRoutes({ router, calls, shutdown: shutdown.signal });
  },
  shutdownSignal: shutdown.signal,
});
logger.info({ address: server.address }, 'ready');

const stop = async (): Promise<void> => {
  health.setDraining();
  shutdown.abort();
  await calls[Symbol.asyncDispose]();
  await server.close(CLOSE_GRACE_MS);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
