import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectExecutor } from '#kit/executor-client.ts';
import type { SetUp } from '../setup/set-up.ts';
import type { DataFolder } from './data-folder.ts';
import type { DetachedProgram } from './detached-process.ts';

const DESCRIBE_TIMEOUT_MS = 2_000;
const TOKEN_BYTES = 32;

/** Where the gateway expects the sandbox executor (`http://127.0.0.1:port`), and the token that only the two know. */
export interface SandboxEndpoint {
  readonly address: string;
  readonly tokenFile: string;
}

/** The sandbox executor as a program to start. */
export function sandboxProgram(options: {
  readonly folder: DataFolder;
  readonly projectFolder: string;
  readonly endpoint: SandboxEndpoint;
  readonly setUp: SetUp;
}): DetachedProgram {
  const { folder, endpoint, setUp } = options;
  return {
    title: 'sandbox executor',
    mainFile: join('services', 'sandbox', 'main.ts'),
    projectFolder: options.projectFolder,
    env: {
      ...listenVariables(endpoint.address),
      TOOLGATE_SANDBOX_TOKEN_FILE: endpoint.tokenFile,
      TOOLGATE_SANDBOX_IMAGE: setUp.sandboxImage,
      TOOLGATE_SANDBOX_TOOLBOX: setUp.toolboxBundle,
      TOOLGATE_SANDBOX_DATA_DIR: join(folder.root, 'sandbox'),
      TOOLGATE_SANDBOX_DOCKER_SOCKET: setUp.dockerSocket,
    },
    pidFile: folder.pidFiles.sandboxExecutor,
    logFile: join(folder.logs, 'sandbox-executor.log'),
    isReady: () => answersGateway(endpoint),
  };
}

function listenVariables(address: string): Record<string, string> {
  const { hostname, port } = new URL(address);
  return { TOOLGATE_SANDBOX_HOST: hostname, TOOLGATE_SANDBOX_PORT: port };
}

/** True when the executor answers whoever holds the token. */
async function answersGateway(endpoint: SandboxEndpoint): Promise<boolean> {
  if (!existsSync(endpoint.tokenFile)) return false;
  const token = readFileSync(endpoint.tokenFile, 'utf8').trim();
  const link = connectExecutor({ address: endpoint.address, token: () => token });
  try {
    await link.client.describe({}, { timeoutMs: DESCRIBE_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  } finally {
    link.close();
  }
}

/** Makes the token that gateway and executor share, unless there is one. */
export function ensureExecutorToken(tokenFile: string): void {
  if (existsSync(tokenFile)) return;
  writeFileSync(tokenFile, `tge_${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { mode: 0o600 });
}
