import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import { createGatewayClient } from '../client/gateway-client.ts';
import { CommandFailure } from '../command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import type { DetachedProgram } from './detached-process.ts';

const HEALTH_TIMEOUT_MS = 2_000;

/** The gateway as a program to start. */
export function gatewayProgram(folder: DataFolder, projectFolder: string): DetachedProgram {
  return {
    title: 'gateway',
    mainFile: join('gateway', 'main.ts'),
    projectFolder,
    env: { TOOLGATE_CONFIG: folder.gatewayYaml, TOOLGATE_DATA: folder.root },
    pidFile: folder.pidFiles.gateway,
    logFile: join(folder.logs, 'gateway.log'),
    isReady: async pid => {
      const info = readGatewayInfo(folder);
      return info !== undefined && info.pid === pid && (await isServing(info.address));
    },
  };
}

/** What the gateway wrote when it was last ready; undefined before its first start. */
export function readGatewayInfo(folder: DataFolder): { address: string; pid: number } | undefined {
  if (!existsSync(folder.gatewayInfo)) return undefined;
  const { address, pid } = JSON.parse(readFileSync(folder.gatewayInfo, 'utf8'));
  return { address: String(address), pid: Number(pid) };
}

/** True when a gateway at the address says that it serves requests. */
export async function isServing(address: string): Promise<boolean> {
  using client = createGatewayClient({ address });
  try {
    const { status } = await client.health.check({}, { timeoutMs: HEALTH_TIMEOUT_MS });
    return status === Status.SERVING;
  } catch {
    return false;
  }
}

/** Throws when another program holds the port, which the gateway itself could only say in its log. */
export async function checkPortIsFree(
  listen: { readonly host: string; readonly port: number },
  folder: DataFolder,
): Promise<void> {
  const problem = await new Promise<NodeJS.ErrnoException | undefined>(resolve => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(listen.port, listen.host, () => server.close(() => resolve(undefined)));
  });
  if (problem === undefined) return;
  const where = `port ${listen.port} of ${listen.host}`;
  throw new CommandFailure(
    problem.code === 'EADDRINUSE'
      ? `Another program holds ${where}: choose another one by "listen: {port: …}" in ${folder.gatewayYaml}, or by TOOLGATE_LISTEN=${listen.host}:PORT.`
      : `The gateway cannot listen on ${where} (${problem.code}): change "listen" in ${folder.gatewayYaml}.`,
  );
}
