import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of this project in a process of its own. */
export interface NodeProgram extends AsyncDisposable {
  /** Where it listens, as it said when it was ready. */
  readonly address: string;
}

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));
/** Time a program has to say that it is ready. */
const START_TIMEOUT_MS = 60_000;
/** Time a program has to end by itself after SIGTERM. */
const END_GRACE_MS = 15_000;
/** Lines of output that a failed start shows. */
const SHOWN_LINES = 20;

/** Starts a program and waits for the log line with its address. Disposing ends it and waits for its end. */
export async function startNodeProgram(options: {
  /** Path from the project's folder. */
  readonly mainFile: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Message of the log line that carries its address. */
  readonly readyMessage?: string;
  /** Options of Node itself, for example `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}): Promise<NodeProgram> {
  const { mainFile, args = [], env = {}, nodeOptions = [], readyMessage = 'ready' } = options;
  const child = spawn(process.execPath, [...nodeOptions, mainFile, ...args], {
    cwd: PROJECT_FOLDER,
    env: { ...inheritedEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C reaches only the program that ends this one, in the right order.
    detached: true,
  });
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const lines: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    const tooLate = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', line => {
        if (lines.push(line) > SHOWN_LINES) lines.shift();
        const found = addressIn(line, readyMessage);
        if (found === undefined) return;
        clearTimeout(tooLate);
        resolve(found);
      });
    }
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(tooLate);
      reject(new Error(`${mainFile} did not start:\n${lines.join('\n')}`));
    });
  });
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), END_GRACE_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

/** This process's environment without settings of Toolgate, which would change what is measured. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOOLGATE_')));
}

function addressIn(line: string, readyMessage: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const entry: { msg?: unknown; address?: unknown } = JSON.parse(line);
  return entry.msg === readyMessage && typeof entry.address === 'string' ? entry.address : undefined;
}
