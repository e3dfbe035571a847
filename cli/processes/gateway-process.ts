import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import { createGatewayClient } from '../client/gateway-client.ts';
import { CommandFailure } from '../command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import type { DetachedProgram } from './detached-process.ts';
import { portHolder } from './port-holder.ts';

const HEALTH_TIMEOUT_MS = 2_000;

/** Where a gateway listens. */
interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

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
export async function checkPortIsFree(listen: ListenAddress, folder: DataFolder): Promise<void> {
  const problem = await portProblem(listen, folder);
  if (problem !== undefined) throw new CommandFailure(problem);
}

/** Why nothing can listen there, and how to mend it; undefined when the port is free. */
export async function portProblem(listen: ListenAddress, folder: DataFolder): Promise<string | undefined> {
  const problem = await new Promise<NodeJS.ErrnoException | undefined>(resolve => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(listen.port, listen.host, () => server.close(() => resolve(undefined)));
  });
  if (problem === undefined) return undefined;
  const where = `port ${listen.port} of ${listen.host}`;
  if (problem.code !== 'EADDRINUSE') {
    return `The gateway cannot listen on ${where} (${problem.code}): change "listen" in ${folder.gatewayYaml}.`;
  }
  const holder = portHolder(listen.port);
  const who = holder === undefined ? '' : ` (${holder})`;
  return `Another program holds ${where}${who}: choose another one by "listen: {port: …}" in ${folder.gatewayYaml}, or by TOOLGATE_LISTEN=${listen.host}:PORT.`;
}
