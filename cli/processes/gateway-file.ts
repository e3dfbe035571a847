import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { CommandFailure } from '../command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import type { SandboxEndpoint } from './sandbox-process.ts';

/** Name of the sandbox executor in the gateway's configuration. */
export const SANDBOX_EXECUTOR = 'sandbox';

/** What the command line must know of the gateway's file; the gateway checks the whole of it. */
const fileSchema = z.object({
  listen: z.object({ host: z.string().default('127.0.0.1'), port: z.number().default(7420) }).prefault({}),
  executors: z
    .array(z.object({ name: z.string(), address: z.string(), tokenFile: z.string().optional() }))
    .default([]),
  agentsDir: z.string().default('agents'),
  models: z
    .object({
      providers: z
        .record(
          z.string(),
          z.object({
            baseUrl: z.string().optional(),
            apiKeyEnv: z.string().optional(),
            apiKeyFile: z.string().optional(),
          }),
        )
        .default({}),
    })
    .prefault({}),
  limits: z.object({ drainMs: z.number().default(10_000) }).prefault({}),
});

/** The part of the gateway's configuration that `up` goes by. */
export type GatewayFile = z.infer<typeof fileSchema>;

/** Reads the gateway's file, which is written first where there is none. */
export async function ensureGatewayFile(
  folder: DataFolder,
  projectFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<GatewayFile> {
  if (!existsSync(folder.gatewayYaml)) {
    const listen = listenAddress(fileSchema.parse({}), env);
    writeFileSync(folder.gatewayYaml, await firstFile(folder, projectFolder, listen), { mode: 0o600 });
  }
  return readGatewayFile(folder);
}

/** Reads the gateway's file, which must be there. */
export function readGatewayFile(folder: DataFolder): GatewayFile {
  const parsed = fileSchema.safeParse(readYaml(folder.gatewayYaml) ?? {});
  if (parsed.success) return parsed.data;
  const problems = z.prettifyError(parsed.error).replace(/\s*\n\s*/g, ' ');
  throw new CommandFailure(`${folder.gatewayYaml}: ${problems}`);
}

/** Where the gateway will listen: TOOLGATE_LISTEN, or what its file says. */
export function listenAddress(
  file: GatewayFile,
  env: NodeJS.ProcessEnv,
): { readonly host: string; readonly port: number } {
  const match = /^(.+):(\d+)$/.exec(env['TOOLGATE_LISTEN'] ?? '');
  return match === null
    ? file.listen
    : { host: String(match[1]).replace(/^\[(.*)\]$/, '$1'), port: Number(match[2]) };
}

/** Where the gateway expects the sandbox executor; undefined when the operator took it out of the file. */
export function sandboxEndpoint(file: GatewayFile, folder: DataFolder): SandboxEndpoint | undefined {
  const executor = file.executors.find(({ name }) => name === SANDBOX_EXECUTOR);
  if (executor === undefined) return undefined;
  if (!executor.address.startsWith('http://')) {
    throw new CommandFailure(
      `${folder.gatewayYaml}: the executor "${SANDBOX_EXECUTOR}" is started here and needs an address like http://127.0.0.1:7421, not ${executor.address}.`,
    );
  }
  const tokenFile = executor.tokenFile ?? folder.tokens.sandboxExecutor;
  return { address: executor.address, tokenFile: resolve(folder.root, tokenFile) };
}

function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    // The lines after the first one draw the place.
    throw new CommandFailure(`${path} cannot be read: ${problem.split('\n', 1)[0]?.replace(/:$/, '')}`);
  }
}

async function firstFile(
  folder: DataFolder,
  projectFolder: string,
  listen: GatewayFile['listen'],
): Promise<string> {
  const settings = {
    listen,
    agentsDir: join(projectFolder, 'examples', 'agents'),
    models: { scriptsDir: join(projectFolder, 'examples', 'scripts') },
    executors: [
      {
        name: SANDBOX_EXECUTOR,
        address: await freeLoopbackAddress(),
        tokenFile: folder.tokens.sandboxExecutor,
      },
    ],
  };
  return `# Configuration of the gateway. "toolgate up" wrote it once and only reads it from now on.\n${stringify(settings)}`;
}

/** Chosen once and kept in the file, so that gateway and executor can each be restarted alone. */
async function freeLoopbackAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}
