import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { z } from 'zod';
import type { SandboxBounds } from '#sandbox/sandbox-bounds.ts';

/** What each container may use. */
export interface SandboxLimits {
  readonly memoryBytes: number;
  /** Thousandths of a core. */
  readonly cpuMillis: number;
  readonly maxProcesses: number;
}

/** Settings of a sandbox executor. */
export interface SandboxExecutorConfig {
  readonly listen: { readonly host: string; readonly port: number };
  /** Wanted as a bearer from every caller. */
  readonly token: string;
  readonly type: 'DOCKER' | 'LOCAL';
  readonly image: string;
  /** Workspaces of type LOCAL lie below it; it also names this executor to itself. */
  readonly dataDir: string;
  /** Short path for the sockets of toolboxes. */
  readonly socketDir: string;
  /** The bundled toolbox; its manifest `tools.json` lies beside it. */
  readonly bundlePath: string;
  readonly nodePath: string;
  readonly ripgrepPath: string;
  /** Label value on everything this executor makes; leftovers of another owner are never touched. */
  readonly owner: string;
  readonly limits: SandboxLimits;
  readonly bounds: SandboxBounds;
  /** Sessions that may have a sandbox at once. */
  readonly maxSandboxes: number;
  /** Socket of the Docker daemon; only for type DOCKER. */
  readonly dockerSocket: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

const MIB = 1024 * 1024;
const absolutePath = z.string().startsWith('/');

const list = z
  .string()
  .default('')
  .transform(text =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  );
/** Variables that load code into programs or that the toolbox and its shell rest on. */
const RESERVED_NAME = /^(TOOLGATE_|NODE_|LD_|MALLOC_|GLIBC_|OPENSSL_|UV_|PATH$|HOME$)/;

const environmentSchema = z.object({
  TOOLGATE_SANDBOX_HOST: z.string().default('127.0.0.1'),
  TOOLGATE_SANDBOX_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  TOOLGATE_SANDBOX_TOKEN_FILE: absolutePath,
  TOOLGATE_SANDBOX_TYPE: z.enum(['DOCKER', 'LOCAL']).default('DOCKER'),
  TOOLGATE_SANDBOX_IMAGE: z.string().min(1).default('toolgate-sandbox:dev'),
  TOOLGATE_SANDBOX_DATA_DIR: absolutePath,
  TOOLGATE_SANDBOX_SOCKET_DIR: absolutePath.optional(),
  TOOLGATE_SANDBOX_TOOLBOX: absolutePath,
  TOOLGATE_SANDBOX_NODE: absolutePath.default(process.execPath),
  TOOLGATE_SANDBOX_RIPGREP: absolutePath.default(rgPath),
  TOOLGATE_SANDBOX_OWNER: z
    .string()
    .regex(/^[a-zA-Z0-9_.-]{1,64}$/)
    .optional(),
  TOOLGATE_SANDBOX_MEMORY_MIB: z.coerce.number().int().min(64).default(512),
  TOOLGATE_SANDBOX_CPU_MILLIS: z.coerce.number().int().min(50).default(1000),
  TOOLGATE_SANDBOX_MAX_PROCESSES: z.coerce.number().int().min(32).default(256),
  TOOLGATE_SANDBOX_ALLOWED_IMAGES: list,
  TOOLGATE_SANDBOX_HIGHEST_MEMORY_MIB: z.coerce.number().int().min(64).optional(),
  TOOLGATE_SANDBOX_HIGHEST_CPU_MILLIS: z.coerce.number().int().min(50).optional(),
  TOOLGATE_SANDBOX_HIGHEST_MAX_PROCESSES: z.coerce.number().int().min(32).optional(),
  TOOLGATE_SANDBOX_ALLOWED_ENVIRONMENT: list.refine(
    names => names.every(name => /^[A-Za-z_]\w*$/.test(name) && !RESERVED_NAME.test(name)),
    {
      error:
        'names of variables, none of them PATH, HOME, TOOLGATE_*, NODE_*, LD_*, MALLOC_*, GLIBC_*, OPENSSL_* or UV_*',
    },
  ),
  TOOLGATE_SANDBOX_MAX_SANDBOXES: z.coerce.number().int().min(1).default(100),
  TOOLGATE_SANDBOX_DOCKER_SOCKET: absolutePath.default('/var/run/docker.sock'),
  TOOLGATE_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/** Reads the configuration; throws an Error that names each variable that is wrong. */
export function readConfig(environment: NodeJS.ProcessEnv): SandboxExecutorConfig {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) {
    throw new Error(`the sandbox executor's settings are wrong:\n${z.prettifyError(parsed.error)}`);
  }
  const values = parsed.data;
  const dataDir = values.TOOLGATE_SANDBOX_DATA_DIR;
  const placeId = createHash('sha256').update(`${hostname()}:${dataDir}`).digest('hex').slice(0, 12);
  return {
    listen: { host: values.TOOLGATE_SANDBOX_HOST, port: values.TOOLGATE_SANDBOX_PORT },
    token: readToken(values.TOOLGATE_SANDBOX_TOKEN_FILE),
    type: values.TOOLGATE_SANDBOX_TYPE,
    image: values.TOOLGATE_SANDBOX_IMAGE,
    dataDir,
    socketDir: values.TOOLGATE_SANDBOX_SOCKET_DIR ?? join(tmpdir(), `toolgate-${placeId}`),
    bundlePath: values.TOOLGATE_SANDBOX_TOOLBOX,
    nodePath: values.TOOLGATE_SANDBOX_NODE,
    ripgrepPath: values.TOOLGATE_SANDBOX_RIPGREP,
    owner: values.TOOLGATE_SANDBOX_OWNER ?? placeId,
    limits: {
      memoryBytes: values.TOOLGATE_SANDBOX_MEMORY_MIB * MIB,
      cpuMillis: values.TOOLGATE_SANDBOX_CPU_MILLIS,
      maxProcesses: values.TOOLGATE_SANDBOX_MAX_PROCESSES,
    },
    bounds: {
      images: values.TOOLGATE_SANDBOX_ALLOWED_IMAGES,
      max: {
        memoryBytes: (values.TOOLGATE_SANDBOX_HIGHEST_MEMORY_MIB ?? values.TOOLGATE_SANDBOX_MEMORY_MIB) * MIB,
        cpuMillis: values.TOOLGATE_SANDBOX_HIGHEST_CPU_MILLIS ?? values.TOOLGATE_SANDBOX_CPU_MILLIS,
        maxProcesses: values.TOOLGATE_SANDBOX_HIGHEST_MAX_PROCESSES ?? values.TOOLGATE_SANDBOX_MAX_PROCESSES,
      },
      environmentNames: values.TOOLGATE_SANDBOX_ALLOWED_ENVIRONMENT,
    },
    maxSandboxes: values.TOOLGATE_SANDBOX_MAX_SANDBOXES,
    dockerSocket: values.TOOLGATE_SANDBOX_DOCKER_SOCKET,
    logLevel: values.TOOLGATE_LOG_LEVEL,
  };
}

/** Where the manifest of a bundled toolbox lies. */
export function manifestPathOf(bundlePath: string): string {
  return join(dirname(bundlePath), 'tools.json');
}

function readToken(path: string): string {
  const othersMay = statSync(path).mode & 0o077;
  if (othersMay !== 0) throw new Error(`${path} may be read by others; make it mode 0600`);
  const token = readFileSync(path, 'utf8').trim();
  if (token.length < 16) throw new Error(`${path} holds no token of at least 16 characters`);
  return token;
}
