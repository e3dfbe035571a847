import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, mayInstallPackages } from '../../cli/setup/debian-packages.ts';

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLE = join(PROJECT_FOLDER, 'examples', 'clients', 'python');

/** The environment of the Python example, or why there is none. */
export type PythonEnvironment =
  | { readonly kind: 'ready'; readonly python: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** How one run of the client ended. */
export interface ClientEnd {
  readonly exitCode: number;
  /** The answer alone. */
  readonly stdout: string;
  /** What it showed meanwhile. */
  readonly stderr: string;
}

/** A client that runs. */
export interface RunningClient {
  readonly end: Promise<ClientEnd>;
  /** Resolves with the match once the client has shown such text; rejects when it ends without. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
}

/**
 * Makes the environment by the example's own prepare.py. Where Python is missing it is installed if this process may;
 * otherwise the reason is told, and thrown when CI is set, since nothing may be skipped there.
 */
export async function preparePythonClient(): Promise<PythonEnvironment> {
  let prepared = await prepare();
  if (prepared.kind === 'missing' && mayInstallPackages()) {
    await installPackages(['python3', 'python3-venv'], {
      logPath: join(PROJECT_FOLDER, '.toolgate', 'setup', 'python.log'),
      detail: () => undefined,
      signal: AbortSignal.timeout(300_000),
    });
    prepared = await prepare();
  }
  if (prepared.kind === 'missing') {
    if (process.env['CI'] !== undefined) throw new Error(prepared.reason);
    process.stderr.write(`Python client not tested: ${prepared.reason}\n`);
  }
  return prepared;
}

async function prepare(): Promise<PythonEnvironment> {
  const { exitCode, stdout, stderr } = await run('python3', [join(EXAMPLE, 'prepare.py')]).end;
  return exitCode === 0
    ? { kind: 'ready', python: stdout.trim() }
    : { kind: 'missing', reason: stderr.trim().split('\n').at(-1) ?? 'prepare.py failed' };
}

/** Starts client.py; with `terminal` it believes that a person sits at it, and all it writes is in `stdout`. */
export function startPythonClient(
  environment: PythonEnvironment,
  args: readonly string[],
  options: { readonly terminal?: boolean } = {},
): RunningClient {
  if (environment.kind === 'missing') throw new Error(environment.reason);
  const { python } = environment;
  const client = [python, join(EXAMPLE, 'client.py'), ...args];
  const onTerminal = ['-c', 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)', ...client];
  return run(python, options.terminal === true ? onTerminal : client.slice(1));
}

function run(command: string, args: readonly string[]): RunningClient {
  const child = spawn(command, args, { stdio: 'pipe' });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const end = new Promise<ClientEnd>(resolve => {
    child.once('error', error =>
      resolve({ exitCode: -1, stdout: '', stderr: `${command}: ${error.message}` }),
    );
    child.once('close', code =>
      resolve({ exitCode: code ?? -1, stdout: stdout.text(), stderr: stderr.text() }),
    );
  });
  return {
    end,
    shows: pattern => untilShown(child, pattern, () => stdout.text() + stderr.text()),
    type: text => void child.stdin.write(text),
  };
}

function collect(stream: NodeJS.ReadableStream): { text(): string } {
  let text = '';
  stream.setEncoding('utf8').on('data', chunk => {
    text += chunk;
  });
  return { text: () => text };
}

function untilShown(child: ChildProcess, wanted: RegExp, shown: () => string): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const match = wanted.exec(shown());
      if (match !== null) resolve(match);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
    child.once('close', () => reject(new Error(`the client ended without ${wanted}:\n${shown()}`)));
    look();
  });
}
