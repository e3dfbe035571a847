import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { toJson } from '@bufbuild/protobuf';
import { ManifestSchema } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { requireBearer } from '#kit/bearer-auth.ts';
import { CallTable } from '#kit/call-table.ts';
import { mapErrors } from '#kit/error-mapping.ts';
import { createLogger } from '#kit/logger.ts';
import { manifestOf } from '#kit/manifest.ts';
import { startServer } from '#kit/one-port-server.ts';
import { readSettings, type ToolboxSettings } from '#toolbox/settings.ts';
import { createToolbox } from '#toolbox/toolbox.ts';
import { toolboxRoutes } from '#toolbox/toolbox-routes.ts';

const VERSION = '0.1.0';
/** Largest request: a command or file content of some MiB with room for JSON's escapes. */
const READ_LIMIT_BYTES = 32 * 1024 * 1024;
/** Time running requests get at the end; their calls have been cancelled by then. */
const CLOSE_GRACE_MS = 500;

if (process.argv[2] === 'describe') printManifest();
else await serve(readSettings(process.env));

/** The build writes this beside the bundle, so that an executor can describe tools it has not started yet. */
function printManifest(): void {
  const settings: ToolboxSettings = {
    listen: { host: '127.0.0.1', port: 0 },
    token: '',
    workspace: '/',
    scratch: undefined,
    commandUser: undefined,
    home: '/',
    ripgrepPath: '/nonexistent',
    runtimeDir: '/nonexistent',
    ownsAllProcesses: false,
    endWithStdin: false,
    socketMode: 0o600,
  };
  const { tools } = createToolbox(settings, {});
  const manifest = toJson(ManifestSchema, manifestOf(tools.map(tool => tool.spec)));
  process.stdout.write(`${JSON.stringify(manifest, undefined, 2)}\n`);
}

async function serve(given: ToolboxSettings): Promise<void> {
  mkdirSync(given.runtimeDir, { recursive: true, mode: 0o700 });
  const settings = { ...given, runtimeDir: mkdtempSync(join(given.runtimeDir, 'run-')) };
  const logger = createLogger({ name: 'toolbox', level: 'info' });
  const shutdown = new AbortController();
  const environment = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith('TOOLGATE_')) delete process.env[name];
  const toolbox = createToolbox(settings, environment);
  toolbox.workspace.user.run(() => mkdirSync(settings.home, { recursive: true, mode: 0o700 }));
  const calls = new CallTable({ logger });
  const server = await startServer({
    routes: toolboxRoutes({
      toolbox,
      manifest: manifestOf(toolbox.tools.map(tool => tool.spec)),
      calls,
      version: VERSION,
      shutdown: shutdown.signal,
    }),
    listen: settings.listen,
    interceptors: [mapErrors(logger), requireBearer(settings.token)],
    readMaxBytes: READ_LIMIT_BYTES,
    shutdownSignal: shutdown.signal,
  });
  if ('socketPath' in settings.listen) chmodSync(settings.listen.socketPath, settings.socketMode);
  dropGroups(settings);
  await toolbox.runner.prepare();
  logger.info({ address: server.address }, 'ready');
  await stopRequested(settings.endWithStdin);
  shutdown.abort();
  await calls[Symbol.asyncDispose]();
  await toolbox.runner[Symbol.asyncDispose]();
  await server.close(CLOSE_GRACE_MS);
  process.exit(0);
}

/** The extra group was only for the socket's folder. */
function dropGroups(settings: ToolboxSettings): void {
  if (settings.commandUser !== undefined) process.setgroups?.([]);
}

function stopRequested(endWithStdin: boolean): Promise<void> {
  return new Promise(resolve => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    if (endWithStdin) process.stdin.once('end', () => resolve()).resume();
  });
}
