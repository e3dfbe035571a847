import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stringify } from 'yaml';
import { readConfig } from '#gateway/config.ts';
import { createGateway } from '#gateway/gateway.ts';
import { createLogger } from '#kit/logger.ts';
import { createInterrupts, type Interrupts } from '../../../cli/cli-io.ts';
import { runCli } from '../../../cli/run-cli.ts';

/** How one command line ended. */
interface CliEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line that runs. */
export interface RunningCli {
  readonly interrupts: Interrupts;
  /** What a person at its terminal types. */
  type(text: string): void;
  /** Resolves when standard output or error has this text. */
  shows(text: string): Promise<void>;
  readonly end: Promise<CliEnd>;
}

/** A gateway with scripted agents, and command lines that talk to it. */
export interface CliFixture extends AsyncDisposable {
  readonly address: string;
  readonly dataFolder: string;
  start(args: readonly string[], options?: CliStartOptions): RunningCli;
  run(args: readonly string[], options?: CliStartOptions): Promise<CliEnd>;
}

/** The world around one command line. */
export interface CliStartOptions {
  readonly isTerminal?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a gateway on a free port whose agents play these scripts; each script is an agent of the same name. */
export async function startCliFixture(settings: {
  readonly scripts: Readonly<Record<string, object>>;
  readonly rules?: readonly object[];
  readonly executors?: readonly {
    readonly name: string;
    readonly address: string;
    readonly token: string;
  }[];
}): Promise<CliFixture> {
  const root = await mkdtemp(join(tmpdir(), 'toolgate-cli-'));
  for (const [name, script] of Object.entries(settings.scripts)) {
    await mkdir(join(root, 'agents', name), { recursive: true });
    await mkdir(join(root, 'scripts'), { recursive: true });
    await writeFile(join(root, 'scripts', `${name}.yaml`), stringify(script));
    const agent = { name, instructions: 'Play.', model: `script:${name}.yaml` };
    await writeFile(join(root, 'agents', name, 'agent.yaml'), stringify(agent));
  }
  const executors = [];
  for (const { name, address, token } of settings.executors ?? []) {
    await writeFile(join(root, `${name}.token`), token);
    executors.push({ name, address, tokenFile: `${name}.token` });
  }
  const configFile = join(root, 'toolgate.yaml');
  await writeFile(
    configFile,
    stringify({
      listen: { port: 0 },
      agentsDir: 'agents',
      models: { scriptsDir: 'scripts' },
      executors,
      permissions: { rules: settings.rules ?? [] },
    }),
  );
  const dataFolder = join(root, 'data');
  const gateway = await createGateway({
    config: readConfig({ TOOLGATE_CONFIG: configFile, TOOLGATE_DATA: dataFolder }),
    logger: createLogger({ name: 'gateway', level: 'silent' }),
    env: {},
  });
  const start = (args: readonly string[], options: CliStartOptions = {}): RunningCli =>
    startCli(['--data', dataFolder, ...args], {
      ...options,
      env: { TOOLGATE_ADDRESS: gateway.address, ...options.env },
    });
  return {
    address: gateway.address,
    dataFolder,
    start,
    run: (args, options) => start(args, options).end,
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Runs a command line in this process, with streams of its own. */
export function startCli(args: readonly string[], options: CliStartOptions): RunningCli {
  const interrupts = createInterrupts();
  const terminal = options.isTerminal === true ? { isTTY: true, columns: 100 } : {};
  const stdin = Object.assign(new PassThrough(), terminal);
  const stdout = Object.assign(new PassThrough(), terminal);
  const stderr = Object.assign(new PassThrough(), terminal);
  const seen = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const [name, stream] of [
    ['stdout', stdout],
    ['stderr', stderr],
  ] as const) {
    stream.on('data', chunk => {
      seen[name] += String(chunk);
      for (const look of watchers) look();
    });
  }
  const end = runCli(args, {
    stdin,
    stdout,
    stderr,
    interrupts,
    env: options.env ?? {},
    workingFolder: process.cwd(),
    projectFolder: process.cwd(),
  }).then(exitCode => ({ exitCode, ...seen }));
  return {
    interrupts,
    end,
    type: text => void stdin.write(text),
    shows: text =>
      new Promise(resolve => {
        const look = (): void => {
          if (!`${seen.stdout}${seen.stderr}`.includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}
