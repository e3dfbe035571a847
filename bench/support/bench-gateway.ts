import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startNodeProgram } from './node-program.ts';

/** A gateway in a process of its own, with its store in a file. */
export interface BenchGateway extends AsyncDisposable {
  /** `http://host:port`. */
  readonly address: string;
  readonly token: string;
}

/** Starts a gateway with one executor and, where a tool asks, rules that allow it. Disposing removes its data. */
export async function startBenchGateway(options: {
  readonly executor: { readonly name: string; readonly address: string; readonly tokenFile: string };
  readonly rules?: readonly object[];
  readonly nodeOptions?: readonly string[];
}): Promise<BenchGateway> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-bench-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const configFile = join(folder, 'toolgate.yaml');
  const { executor, rules = [], nodeOptions = [] } = options;
  const settings = {
    listen: { port: 0 },
    agentsDir: join(folder, 'agents'),
    executors: [executor],
    permissions: { rules },
  };
  await writeFile(configFile, stringify(settings));
  const program = await startNodeProgram({
    mainFile: 'gateway/main.ts',
    env: { TOOLGATE_CONFIG: configFile, TOOLGATE_DATA: folder },
    readyMessage: 'gateway ready',
    nodeOptions,
  });
  cleanUp.use(program);
  const token = (await readFile(join(folder, 'tokens', 'owner.token'), 'utf8')).trim();
  const owned = cleanUp.move();
  return { address: program.address, token, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
