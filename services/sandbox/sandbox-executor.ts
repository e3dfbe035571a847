import { readFileSync } from 'node:fs';
import { fromJsonString } from '@bufbuild/protobuf';
import {
  ExecutorService,
  type Manifest,
  ManifestSchema,
} from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { requireBearer } from '#kit/bearer-auth.ts';
import { CallTable } from '#kit/call-table.ts';
import { mapErrors } from '#kit/error-mapping.ts';
import { createHealth } from '#kit/health.ts';
import type { Logger } from '#kit/logger.ts';
import { startServer } from '#kit/one-port-server.ts';
import { manifestPathOf, type SandboxExecutorConfig } from '#sandbox/config.ts';
import { DockerSandboxProvider } from '#sandbox/docker-sandbox.ts';
import { LocalSandboxProvider } from '#sandbox/local-sandbox.ts';
import type { SandboxProvider } from '#sandbox/sandbox.ts';
import { sandboxRoutes } from '#sandbox/sandbox-routes.ts';
import { SessionSandboxes } from '#sandbox/session-sandboxes.ts';
import { createSessionSettings } from '#sandbox/session-settings.ts';
import { settingsRoutes } from '#sandbox/settings-routes.ts';

/** A sandbox executor that listens. */
export interface SandboxExecutor {
  readonly address: string;
  /** Cancels what runs, removes all sandboxes (their workspaces stay) and closes the port. */
  close(): Promise<void>;
}

const VERSION = '0.1.0';
/** Largest request: a command or file content of some MiB with room for JSON's escapes. */
const READ_LIMIT_BYTES = 32 * 1024 * 1024;
/** Time the last responses get to reach their readers. */
const CLOSE_GRACE_MS = 2_000;

/** Starts a sandbox executor, after it removed what an earlier run of the same owner left running. */
export async function startSandboxExecutor(
  config: SandboxExecutorConfig,
  logger: Logger,
): Promise<SandboxExecutor> {
  const manifest = readManifest(config.bundlePath);
  const provider = createProvider(config, logger);
  const sandboxes = new SessionSandboxes({
    provider,
    config,
    settings: createSessionSettings(config.dataDir),
    maxSandboxes: config.maxSandboxes,
    logger,
  });
  const calls = new CallTable({ logger });
  const health = createHealth([ExecutorService.typeName]);
  const shutdown = new AbortController();
  const routes = sandboxRoutes({
    sandboxes,
    calls,
    manifest,
    isolation: provider.isolation,
    version: VERSION,
    shutdown: shutdown.signal,
  });
  await provider.removeLeftovers(shutdown.signal).catch((error: unknown) => {
    logger.warn({ err: error }, 'containers of an earlier run could not be looked for');
  });
  const server = await startServer({
    routes: router => {
      routes(router);
      settingsRoutes(sandboxes, config.type)(router);
      health.routes(router);
    },
    listen: config.listen,
    interceptors: [mapErrors(logger), requireBearer(config.token)],
    readMaxBytes: READ_LIMIT_BYTES,
    shutdownSignal: shutdown.signal,
  });
  return {
    address: server.address,
    close: async () => {
      health.setDraining();
      calls.drain();
      const ended = calls[Symbol.asyncDispose]();
      await sandboxes[Symbol.asyncDispose]();
      await ended;
      shutdown.abort();
      await server.close(CLOSE_GRACE_MS);
    },
  };
}

function createProvider(config: SandboxExecutorConfig, logger: Logger): SandboxProvider {
  if (config.type === 'DOCKER') return new DockerSandboxProvider({ config, logger });
  logger.warn(
    'sandbox type LOCAL: nothing is isolated; commands run on this machine with the rights of this process',
  );
  return new LocalSandboxProvider({ config, logger });
}

function readManifest(bundlePath: string): Manifest {
  const path = manifestPathOf(bundlePath);
  try {
    return fromJsonString(ManifestSchema, readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`the toolbox's manifest cannot be read from ${path}; build the toolbox`, {
      cause: error,
    });
  }
}
