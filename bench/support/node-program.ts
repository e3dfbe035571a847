import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of this project in a process of its own. */
export interface NodeProgram extends AsyncDisposable {
  /** Where it listens, as it said when it was ready. */
  readonly address: string;
}

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));
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
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const lines: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', line => {
        if (lines.push(line) > SHOWN_LINES) lines.shift();
        const found = addressIn(line, readyMessage);
        if (found !== undefined) resolve(found);
      });
    }
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${mainFile} did not start:\n${lines.join('\n')}`)));
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

function addressIn(line: string, readyMessage: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const entry: { msg?: unknown; address?: unknown } = JSON.parse(line);
  return entry.msg === readyMessage && typeof entry.address === 'string' ? entry.address : undefined;
}
