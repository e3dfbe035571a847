import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

/** What a gateway of a test is configured with. */
export interface GatewayFolderOptions {
  /** Agents by name, as in agent.yaml. */
  readonly agents?: Readonly<Record<string, object>>;
  /** Scripts by file name, as objects or as text. */
  readonly scripts?: Readonly<Record<string, object | string>>;
  readonly executors?: readonly {
    readonly name?: string;
    readonly address: string;
    readonly token: string;
  }[];
  /** The operator's rules. */
  readonly rules?: readonly object[];
  readonly limits?: object;
  /** Further settings of the configuration file. */
  readonly settings?: object;
}

/** The folder of one gateway: configuration, agents, scripts, tokens and database. */
export interface GatewayFolder extends AsyncDisposable {
  readonly dir: string;
  readonly dataDir: string;
  /** Environment that a gateway on this folder is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** A token that the gateway made at its first start. */
  token(name: 'owner' | 'agent'): Promise<string>;
}

/** Writes a folder that any number of gateways can be started on, one after the other. */
export async function createGatewayFolder(options: GatewayFolderOptions = {}): Promise<GatewayFolder> {
  const dir = await mkdtemp(join(tmpdir(), 'toolgate-test-'));
  const dataDir = join(dir, 'data');
  const scripts = join(dir, 'scripts');
  await mkdir(scripts);
  for (const [name, script] of Object.entries(options.scripts ?? {})) {
    await writeFile(join(scripts, name), typeof script === 'string' ? script : stringify(script));
  }
  for (const [name, agent] of Object.entries(options.agents ?? {})) {
    await mkdir(join(dir, 'agents', name), { recursive: true });
    await writeFile(join(dir, 'agents', name, 'agent.yaml'), stringify(agent));
  }
  const executors = [];
  for (const [index, { name = `test${index || ''}`, address, token }] of (
    options.executors ?? []
  ).entries()) {
    const tokenFile = join(dir, `${name}.token`);
    await writeFile(tokenFile, token, { mode: 0o600 });
    executors.push({ name, address, tokenFile });
  }
  const config = {
    listen: { host: '127.0.0.1', port: 0 },
    logLevel: 'debug',
    models: { scriptsDir: scripts },
    executors,
    permissions: { rules: options.rules ?? [] },
    limits: { drainMs: 0, ...options.limits },
    ...options.settings,
  };
  await writeFile(join(dir, 'gateway.yaml'), stringify(config));
  return {
    dir,
    dataDir,
    env: { TOOLGATE_CONFIG: join(dir, 'gateway.yaml'), TOOLGATE_DATA: dataDir },
    token: async name => (await readFile(join(dataDir, 'tokens', `${name}.token`), 'utf8')).trim(),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}
