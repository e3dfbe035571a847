import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, mayInstallPackages } from '../../cli/setup/debian-packages.ts';
import { type RunningClient, startClientProcess } from './client-process.ts';

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** A first preparation fetches packages and compiles; this is far more than it takes. */
const PREPARATION_LIMIT_MS = 600_000;

/** One of the clients in examples/clients. */
export interface ExampleClient {
  /** What people call it. */
  readonly name: string;
  /** Its folder in examples/clients. */
  readonly folder: string;
  /** Makes it ready, by a file of its folder; prints what `command` needs. Unset where nothing is to be made. */
  readonly prepare?: readonly [program: string, file: string, ...args: string[]];
  /** Debian's packages that bring what it needs; unset where they are too old, or too much to install unasked. */
  readonly debianPackages?: readonly string[];
  /** The command line of a client that is ready. */
  readonly command: (printed: string, folder: string) => readonly string[];
}

/** The command line of an example client, or why it cannot run. */
export type PreparedClient =
  | { readonly kind: 'ready'; readonly command: readonly string[] }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * Makes a client ready as its README says. What is missing for it is installed if this process may; otherwise the
 * reason is told, and thrown when CI is set, since nothing may be skipped there.
 */
export async function prepareClient(client: ExampleClient): Promise<PreparedClient> {
  let prepared = await prepare(client);
  if (prepared.kind === 'missing' && client.debianPackages !== undefined && mayInstallPackages()) {
    await installPackages(client.debianPackages, {
      logPath: join(PROJECT_FOLDER, '.toolgate', 'setup', `${client.folder}-client.log`),
      detail: () => undefined,
      signal: AbortSignal.timeout(PREPARATION_LIMIT_MS),
    });
    prepared = await prepare(client);
  }
  if (prepared.kind === 'missing') {
    if (process.env['CI'] !== undefined) throw new Error(prepared.reason);
    process.stderr.write(`${client.name} client not tested: ${prepared.reason.split('\n').at(-1)}\n`);
  }
  return prepared;
}

async function prepare(client: ExampleClient): Promise<PreparedClient> {
  const folder = join(PROJECT_FOLDER, 'examples', 'clients', client.folder);
  if (client.prepare === undefined) return { kind: 'ready', command: client.command('', folder) };
  const [program, file, ...args] = client.prepare;
  const signal = AbortSignal.timeout(PREPARATION_LIMIT_MS);
  const { end } = startClientProcess([program, join(folder, file), ...args], { signal });
  const { exitCode, stdout, stderr } = await end;
  if (exitCode === 0) return { kind: 'ready', command: client.command(stdout.trim(), folder) };
  return { kind: 'missing', reason: stderr.trim() || `${file} failed` };
}

/** Starts a client that is ready; see startClientProcess for the terminal. */
export function startExampleClient(
  prepared: PreparedClient,
  args: readonly string[],
  options: { readonly terminal?: boolean } = {},
): RunningClient {
  if (prepared.kind === 'missing') throw new Error(prepared.reason);
  return startClientProcess([...prepared.command, ...args], options);
}
