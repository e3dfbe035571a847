import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { readTlsFiles, type TlsFiles } from '#kit/tls-listener.ts';
import { ruleSchema } from './agent/agent-folder.ts';
import { modelsConfigSchema, resolveModelPaths } from './models/models-config.ts';

const MIB = 1024 * 1024;

const listenSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(7420),
});

/** Files in PEM format; with clientCaFile every client needs a certificate of that CA. */
const tlsSchema = z.strictObject({
  certFile: z.string().min(1),
  keyFile: z.string().min(1),
  clientCaFile: z.string().min(1).optional(),
});

const executorSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, { error: 'an executor name is 1 to 32 of a-z, 0-9 and "-"' })
    .refine(name => name !== 'gateway', { error: '"gateway" names the gateway\'s own tools' }),
  address: z.string().regex(/^(https?:\/\/[^/]+|unix:\/.+)$/, {
    error: 'use http://HOST:PORT, https://HOST:PORT or unix:/PATH',
  }),
  tokenFile: z.string().min(1).optional(),
  /** The CAs of an https address, in PEM format; the ones that come with Node when unset. */
  caFile: z.string().min(1).optional(),
});

const limitsSchema = z.strictObject({
  requestBytes: z
    .int()
    .min(1024)
    .max(64 * MIB)
    .default(8 * MIB),
  maxIterations: z.int().min(1).max(1000).default(50),
  toolTimeoutMs: z.int().min(1).max(3_600_000).default(300_000),
  loggedOutputBytes: z
    .int()
    .min(0)
    .default(256 * 1024),
  resultBytes: z
    .int()
    .min(1024)
    .default(256 * 1024),
  drainMs: z.int().min(0).max(600_000).default(10_000),
});

const names = z.array(z.string().min(1)).default([]);

const permissionsSchema = z.strictObject({
  rules: z.array(ruleSchema).default([]),
  /** Names of files and folders, and commands as in rules, that need a person in every mode; they add to the defaults. */
  dangerousFiles: names,
  dangerousDirectories: names,
  dangerousCommands: names,
  /** MCP servers whose tools may say of themselves that they only read. */
  trustedMcpServers: names,
  /** Whether git may show the workspace unasked: its repository's configuration can start programs. */
  trustRepositories: z.boolean().default(false),
});

const fileSchema = z.strictObject({
  listen: listenSchema.prefault({}),
  tls: tlsSchema.optional(),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  agentsDir: z.string().min(1).default('agents'),
  models: modelsConfigSchema.prefault({}),
  executors: z
    .array(executorSchema)
    .default([])
    .refine(list => new Set(list.map(executor => executor.name)).size === list.length, {
      error: 'two executors have the same name',
    }),
  permissions: permissionsSchema.prefault({}),
  /** Web origins that may call from a browser, such as "https://console.example.org". */
  allowedOrigins: z.array(z.url()).default([]),
  store: z.strictObject({ synchronous: z.enum(['NORMAL', 'FULL']).default('NORMAL') }).prefault({}),
  limits: limitsSchema.prefault({}),
});

/** The checked configuration; every path in it is absolute. */
export type GatewayConfig = z.infer<typeof fileSchema> & { readonly dataDir: string };

/** A wrong setting; the message names the file or variable, the setting and what it may be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the configuration: the YAML file that TOOLGATE_CONFIG names (none is fine), then TOOLGATE_DATA,
 * TOOLGATE_LISTEN (HOST:PORT) and TOOLGATE_LOG_LEVEL over it. Relative paths start at the file's folder.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): GatewayConfig {
  const file = env['TOOLGATE_CONFIG'];
  const dataDir = resolve(env['TOOLGATE_DATA'] ?? '.toolgate');
  const base = file === undefined ? process.cwd() : dirname(resolve(file));
  const raw = file === undefined ? {} : readYamlFile(file);
  const parsed = fileSchema.safeParse(raw ?? {});
  if (!parsed.success) throw new ConfigError(`${file ?? 'configuration'}: ${z.prettifyError(parsed.error)}`);
  const config = parsed.data;
  return {
    ...config,
    ...(config.tls === undefined ? {} : { tls: checkedTls(config.tls, base) }),
    dataDir,
    listen: listenFromEnv(env['TOOLGATE_LISTEN']) ?? config.listen,
    logLevel: logLevelFromEnv(env['TOOLGATE_LOG_LEVEL']) ?? config.logLevel,
    agentsDir: resolve(base, config.agentsDir),
    models: resolveModelPaths(config.models, base),
    executors: config.executors.map(executor => ({
      ...executor,
      ...(executor.tokenFile === undefined ? {} : { tokenFile: resolve(base, executor.tokenFile) }),
      ...(executor.caFile === undefined ? {} : { caFile: resolve(base, executor.caFile) }),
    })),
  };
}

/** File of the embedded database. */
export function databasePath(config: GatewayConfig): string {
  return join(config.dataDir, 'gateway.db');
}

function readYamlFile(file: string): unknown {
  try {
    return parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`TOOLGATE_CONFIG: cannot read ${file}: ${reason}`, { cause: error });
  }
}

function checkedTls(tls: TlsFiles, base: string): TlsFiles {
  const { clientCaFile } = tls;
  const files = {
    certFile: resolve(base, tls.certFile),
    keyFile: resolve(base, tls.keyFile),
    ...(clientCaFile === undefined ? {} : { clientCaFile: resolve(base, clientCaFile) }),
  };
  try {
    readTlsFiles(files);
    return files;
  } catch (error) {
    throw new ConfigError(`tls: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function listenFromEnv(value: string | undefined): GatewayConfig['listen'] | undefined {
  if (value === undefined) return undefined;
  const match = /^(.+):(\d+)$/.exec(value);
  const parsed = listenSchema.safeParse({
    host: match?.[1]?.replace(/^\[(.*)\]$/, '$1'),
    port: Number(match?.[2]),
  });
  if (match === null || !parsed.success) {
    throw new ConfigError(`TOOLGATE_LISTEN: "${value}" is not HOST:PORT, for example 127.0.0.1:7420`);
  }
  return parsed.data;
}

function logLevelFromEnv(value: string | undefined): GatewayConfig['logLevel'] | undefined {
  if (value === undefined) return undefined;
  const parsed = fileSchema.shape.logLevel.safeParse(value);
  if (!parsed.success) {
    throw new ConfigError(`TOOLGATE_LOG_LEVEL: "${value}" is not one of debug, info, warn, error, silent`);
  }
  return parsed.data;
}
