import type { ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { readConfig } from '#gateway/config.ts';
import { createGateway, type GatewayParts } from '#gateway/gateway.ts';
import { createLogger } from '#kit/logger.ts';
import { type GatewayClients, gatewayClients, type Protocol } from '#test/gateway-clients.ts';
import { createGatewayFolder, type GatewayFolder, type GatewayFolderOptions } from '#test/gateway-folder.ts';
import { exitOf, killed, startNode } from '#test/node-process.ts';

/** A gateway that listens, with clients of its first two tokens. */
export interface TestGateway extends AsyncDisposable {
  readonly address: string;
  readonly folder: GatewayFolder;
  /** May do everything. */
  readonly owner: GatewayClients;
  /** May use and call, and nothing else. */
  readonly agent: GatewayClients;
  /** Every line of its log so far. */
  readonly logLines: string[];
  /** Further clients, closed with the gateway. */
  clients(token: string, protocol?: Protocol): GatewayClients;
}

/** A gateway in a process of its own. */
export interface TestGatewayProcess extends TestGateway {
  readonly process: ChildProcess;
  /** Ends it with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts a gateway in this process, on a folder of its own that goes away with it. */
export async function startTestGateway(options: GatewayFolderOptions = {}): Promise<TestGateway> {
  const folder = await createGatewayFolder(options);
  const gateway = await startGatewayOn(folder);
  return {
    ...gateway,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Starts a gateway in this process, on a folder that stays. */
export async function startGatewayOn(
  folder: GatewayFolder,
  parts: Partial<GatewayParts> = {},
): Promise<TestGateway> {
  const logLines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      logLines.push(String(chunk));
      done();
    },
  });
  const config = readConfig(folder.env);
  const logger = createLogger({ name: 'gateway', level: config.logLevel, destination });
  const gateway = await createGateway({ config, logger, env: {}, ...parts });
  return withClients(folder, gateway.address, logLines, () => gateway.close());
}

/** Starts `node gateway/main.ts`, or another program that prints a line with the gateway's address. */
export async function startGatewayProcess(
  folder: GatewayFolder,
  program: {
    readonly main?: string;
    readonly args?: readonly string[];
    readonly env?: Record<string, string>;
  } = {},
): Promise<TestGatewayProcess> {
  const main = program.main ?? fileURLToPath(new URL('../../gateway/main.ts', import.meta.url));
  const env = { ...process.env, ...folder.env, ...program.env };
  const logLines: string[] = [];
  const started = Promise.withResolvers<string>();
  const child = startNode([main, ...(program.args ?? [])], env, line => {
    logLines.push(line);
    const said = JSON.parse(line);
    if (said.msg === 'gateway ready') started.resolve(said.address);
  });
  child.once('exit', () => started.reject(new Error(`no gateway:\n${logLines.join('\n')}`)));
  const kill = (): Promise<void> => killed(child);
  const gateway = await withClients(folder, await started.promise, logLines, kill);
  return { ...gateway, process: child, kill };
}

/** Resolves with the exit code once the process has ended by itself. */
export function exitOfGateway(gateway: TestGatewayProcess): Promise<number | NodeJS.Signals | null> {
  return exitOf(gateway.process);
}

async function withClients(
  folder: GatewayFolder,
  address: string,
  logLines: string[],
  close: () => Promise<void>,
): Promise<TestGateway> {
  const made: GatewayClients[] = [];
  const clients = (token: string, protocol?: Protocol): GatewayClients => {
    const own = gatewayClients(address, token, protocol);
    made.push(own);
    return own;
  };
  return {
    address,
    folder,
    logLines,
    clients,
    owner: clients(await folder.token('owner')),
    agent: clients(await folder.token('agent')),
    [Symbol.asyncDispose]: async () => {
      for (const own of made) own.disconnect();
      await close();
    },
  };
}
