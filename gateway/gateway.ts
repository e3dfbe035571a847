import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { PermissionRuleSchema, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { mapErrors } from '#kit/error-mapping.ts';
import { createHealth } from '#kit/health.ts';
import type { Logger } from '#kit/logger.ts';
import { type ServerOptions, startServer } from '#kit/one-port-server.ts';
import { reflectionRoutes } from '#kit/reflection.ts';
import type { LoopServices } from './agent/reply-context.ts';
import { ReplyRunner } from './agent/reply-runner.ts';
import { createRuleCache } from './agent/rule-cache.ts';
import { createScriptAnalyser, type ScriptAnalyser } from './agent/script-analyser.ts';
import { createSessionPlaces } from './agent/session-places.ts';
import type { ApiContext } from './api/api-context.ts';
import { authenticate } from './api/caller.ts';
import { createFirstTokens } from './api/first-tokens.ts';
import { originGuard } from './api/origin-guard.ts';
import { addRoutes, SERVICES } from './api/routes.ts';
import { databasePath, type GatewayConfig } from './config.ts';
import { createModelResolver } from './models/resolve-model.ts';
import { compileDangers } from './permissions/dangers.ts';
import { lockDataFolder } from './store/data-folder-lock.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { createArgumentChecker } from './tools/check-arguments.ts';
import { createExecutorPool, type ExecutorPool } from './tools/executor-pool.ts';
import { createSlotQueues } from './tools/slot-queue.ts';
import { todoWrite } from './tools/todo-write.ts';

/** A gateway that listens. */
export interface Gateway {
  /** `http://host:port`, or `https://host:port` with TLS. */
  readonly address: string;
  /** Takes no new work, lets running replies finish within the configured time, and lets go of the rest. */
  close(): Promise<void>;
}

/** What a gateway is made of besides its configuration. */
export interface GatewayParts {
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opens what is durable; the SQLite that comes with Node by default. */
  readonly openStore?: typeof openStore;
}

/** Time that requests have to end by themselves after the replies were let go. */
const REQUEST_GRACE_MS = 1_000;

/** Opens the store, connects the executors, listens, and lets every unfinished reply go on. */
export async function createGateway(parts: GatewayParts): Promise<Gateway> {
  const { config, logger } = parts;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDataFolder(join(config.dataDir, 'gateway.lock'));
  const open = parts.openStore ?? openStore;
  const store = await open({ path: databasePath(config), synchronous: config.store.synchronous });
  await createFirstTokens(store, config.dataDir, Date.now);
  const executors = connectExecutors(config, logger);
  await executors.triedOnce();
  const scripts = await createScriptAnalyser();
  const services = loopServices(parts, store, executors, scripts);
  const runner = new ReplyRunner(services);
  const owner = randomUUID();
  const draining = new AbortController();
  const ending = new AbortController();
  const api: ApiContext = {
    services,
    runner,
    owner,
    agentsDir: config.agentsDir,
    drainSignal: draining.signal,
    endSignal: ending.signal,
  };
  // Before anybody can begin a reply, since a reply that is taken over loses the writes of its first owner.
  const unfinished = await store.takeOver(owner);
  const health = createHealth(SERVICES.map(service => service.typeName));
  const server = await startServer({
    ...listening(config, logger),
    readMaxBytes: config.limits.requestBytes,
    interceptors: [mapErrors(logger), authenticate(store)],
    guard: originGuard(config.allowedOrigins),
    routes: router => {
      health.routes(router);
      reflectionRoutes([...SERVICES, Health])(router);
      addRoutes(router, api);
    },
  });
  for (const reply of unfinished) runner.wake(reply.replyId);
  return {
    address: server.address,
    close: async () => {
      health.setDraining();
      draining.abort();
      await runner.leave(config.limits.drainMs);
      ending.abort();
      await server.close(REQUEST_GRACE_MS);
      executors[Symbol.dispose]();
      await scripts[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      lock[Symbol.dispose]();
    },
  };
}

function listening({ listen, tls }: GatewayConfig, logger: Logger): Pick<ServerOptions, 'listen' | 'tls'> {
  if (tls !== undefined) return { listen, tls: { files: tls, logger } };
  if (!/^(localhost|::1|127\..*)$/.test(listen.host)) {
    logger.warn(
      { host: listen.host },
      'without TLS, tokens and messages can be read on the network: set "tls" in the configuration',
    );
  }
  return { listen };
}

function connectExecutors(config: GatewayConfig, logger: Logger): ExecutorPool {
  const targets = config.executors.map(({ name, address, tokenFile, caFile }) => ({
    name,
    address,
    ...(caFile === undefined ? {} : { tls: { ca: readFileSync(caFile, 'utf8') } }),
    ...(tokenFile === undefined ? {} : { readToken: async () => (await readFile(tokenFile, 'utf8')).trim() }),
  }));
  return createExecutorPool({ targets, logger, now: Date.now });
}

function loopServices(
  { config, logger, env }: GatewayParts,
  store: Store,
  executors: ExecutorPool,
  scripts: ScriptAnalyser,
): LoopServices {
  return {
    store,
    executors,
    logger,
    gatewayTools: [todoWrite],
    slots: createSlotQueues(),
    places: createSessionPlaces(),
    checkArguments: createArgumentChecker(),
    resolveModel: createModelResolver({ models: config.models, logger, env }),
    policyRules: config.permissions.rules.map(rule =>
      create(PermissionRuleSchema, { ...rule, source: RuleSource.POLICY }),
    ),
    permissionPolicy: {
      dangers: compileDangers({
        files: config.permissions.dangerousFiles,
        directories: config.permissions.dangerousDirectories,
        commands: config.permissions.dangerousCommands,
      }),
      trustedServers: new Set(config.permissions.trustedMcpServers),
      trustsRepository: config.permissions.trustRepositories,
    },
    compiledRules: createRuleCache(),
    scripts,
    limits: config.limits,
    now: Date.now,
    newId: prefix => `${prefix}_${randomUUID()}`,
  };
}
