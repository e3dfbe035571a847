import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { Isolation } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { ExecutorLink } from '#kit/executor-client.ts';
import type { Logger } from '#kit/logger.ts';
import type { SandboxExecutorConfig } from '#sandbox/config.ts';
import type { Sandbox, SandboxEnd, SandboxProvider } from '#sandbox/sandbox.ts';
import { commandVariables, type EffectiveSettings } from '#sandbox/sandbox-bounds.ts';
import { sessionName } from '#sandbox/session-name.ts';
import { TOOLBOX_MALLOC, TOOLBOX_NODE_FLAGS } from '#sandbox/toolbox-memory.ts';
import { prepareSocket, type ToolboxSocket } from '#sandbox/toolbox-socket.ts';

/** What the provider works with. */
export interface LocalSandboxOptions {
  readonly config: SandboxExecutorConfig;
  readonly logger: Logger;
}

/** Time a toolbox gets to end its calls before it is killed. */
const STOP_GRACE_MS = 2_000;
/** Taken over into the toolbox; everything else of the executor's environment stays outside. */
const INHERITED = ['PATH', 'LANG', 'LC_ALL', 'TZ'] as const;

/** Toolboxes as child processes, with no isolation at all: for development and for machines that are a sandbox. */
export class LocalSandboxProvider implements SandboxProvider {
  readonly isolation = Isolation.NONE;
  readonly #options: LocalSandboxOptions;

  constructor(options: LocalSandboxOptions) {
    this.#options = options;
  }

  async create(sessionId: string, settings: EffectiveSettings, signal: AbortSignal): Promise<Sandbox> {
    const { config } = this.#options;
    const socket = prepareSocket(config.socketDir, false);
    const folder = this.#sessionFolder(sessionId);
    for (const name of ['workspace', 'home']) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    const child = spawn(config.nodePath, [...TOOLBOX_NODE_FLAGS, config.bundlePath], {
      cwd: '/',
      env: { ...commandVariables(settings), ...toolboxEnvironment(config, folder, socket) },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const sandbox = new LocalSandbox(child, socket);
    try {
      await sandbox.connect(signal);
      return sandbox;
    } catch (error) {
      await sandbox.remove();
      throw new ConnectError(
        'the toolbox did not start; nothing ran',
        Code.Unavailable,
        undefined,
        undefined,
        error,
      );
    }
  }

  removeWorkspace(sessionId: string): Promise<void> {
    rmSync(this.#sessionFolder(sessionId), { recursive: true, force: true });
    return Promise.resolve();
  }

  /** A toolbox ends by itself when the executor that started it is gone. */
  removeLeftovers(): Promise<void> {
    return Promise.resolve();
  }

  #sessionFolder(sessionId: string): string {
    return join(this.#options.config.dataDir, 'sessions', sessionName(sessionId));
  }
}

class LocalSandbox implements Sandbox {
  readonly ended: Promise<SandboxEnd>;
  readonly #child: ChildProcess;
  readonly #socket: ToolboxSocket;
  #link: ExecutorLink | undefined;
  #isRemoved = false;

  constructor(child: ChildProcess, socket: ToolboxSocket) {
    this.#child = child;
    this.#socket = socket;
    this.ended = new Promise(resolve => {
      child.once('error', error => resolve({ kind: 'LOST', detail: error.message }));
      child.once('exit', (code, signal) => {
        const detail = `its toolbox ended with ${signal ?? `code ${code}`}`;
        resolve(this.#isRemoved ? { kind: 'REMOVED', detail: 'it was removed' } : { kind: 'LOST', detail });
      });
    });
  }

  get toolbox(): ExecutorLink['client'] {
    if (this.#link === undefined) throw new Error('this sandbox is not connected yet');
    return this.#link.client;
  }

  async connect(signal: AbortSignal): Promise<void> {
    this.#link = await this.#socket.connect(this.ended, signal);
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    this.#child.kill('SIGTERM');
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), STOP_GRACE_MS);
    await this.ended;
    clearTimeout(kill);
    this.#link?.close();
    this.#socket.remove();
  }
}

function toolboxEnvironment(
  config: SandboxExecutorConfig,
  folder: string,
  socket: ToolboxSocket,
): Record<string, string> {
  const inherited = INHERITED.flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    ...TOOLBOX_MALLOC,
    TOOLGATE_SOCKET: socket.path,
    TOOLGATE_TOKEN: socket.token,
    TOOLGATE_WORKSPACE: join(folder, 'workspace'),
    TOOLGATE_HOME: join(folder, 'home'),
    TOOLGATE_RIPGREP: config.ripgrepPath,
    TOOLGATE_RUNTIME_DIR: join(socket.folder, 'run'),
    TOOLGATE_END_WITH_STDIN: 'true',
  };
}
