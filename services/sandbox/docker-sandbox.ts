import { rmSync } from 'node:fs';
import Docker from 'dockerode';
import { Isolation } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { ExecutorLink } from '#kit/executor-client.ts';
import type { Logger } from '#kit/logger.ts';
import type { SandboxExecutorConfig } from '#sandbox/config.ts';
import { containerName, containerOptions, LABEL, workspaceVolume } from '#sandbox/container-options.ts';
import { asConnectError, dockerStatus } from '#sandbox/docker-errors.ts';
import type { Sandbox, SandboxEnd, SandboxProvider } from '#sandbox/sandbox.ts';
import type { EffectiveSettings } from '#sandbox/sandbox-bounds.ts';
import { prepareSocket, type ToolboxSocket } from '#sandbox/toolbox-socket.ts';

/** What the provider works with. */
export interface DockerSandboxOptions {
  readonly config: SandboxExecutorConfig;
  readonly logger: Logger;
  /** Longest answer of the daemon to one request; starting a container on a busy machine takes seconds. */
  readonly apiLimitMs?: number;
}

const DEFAULT_API_LIMIT_MS = 20_000;
/** Exit code of a process that SIGKILL ended. */
const KILLED = 137;

/** Sandboxes as Docker containers, one a session, on a volume that outlives them. */
export class DockerSandboxProvider implements SandboxProvider {
  readonly isolation = Isolation.CONTAINER;
  readonly #docker: Docker;
  readonly #options: DockerSandboxOptions;
  readonly #within: Within;

  constructor(options: DockerSandboxOptions) {
    this.#options = options;
    this.#within = withinMs(options.apiLimitMs ?? DEFAULT_API_LIMIT_MS);
    this.#docker = new Docker({ socketPath: options.config.dockerSocket });
  }

  async create(sessionId: string, settings: EffectiveSettings, signal: AbortSignal): Promise<Sandbox> {
    const { config } = this.#options;
    const socketGroup = process.getuid?.() === 0 ? undefined : process.getgid?.();
    const socket = prepareSocket(config.socketDir, socketGroup !== undefined);
    const name = containerName(config.owner, sessionId, socket.id);
    let hasStarted = false;
    try {
      const options = containerOptions({ config, settings, sessionId, socket, socketGroup });
      // A request that is cut goes on inside the daemon, so giving up waits for its end.
      const container = await this.#docker.createContainer({ ...options, name, abortSignal: this.#within() });
      signal.throwIfAborted();
      await container.start({ abortSignal: this.#within() });
      hasStarted = true;
      const sandbox = new DockerSandbox({ container, socket, within: this.#within });
      await sandbox.connect(signal);
      return sandbox;
    } catch (error) {
      const container = this.#docker.getContainer(name);
      const detail = hasStarted ? await lastWords(container, this.#within) : '';
      await removeContainer(container, this.#within).catch(() => undefined);
      socket.remove();
      throw asConnectError(withDetail(error, detail), 'making a sandbox', config.dockerSocket);
    }
  }

  async removeWorkspace(sessionId: string, signal: AbortSignal): Promise<void> {
    const { config } = this.#options;
    try {
      const volume = this.#docker.getVolume(workspaceVolume(config.owner, sessionId));
      await volume.remove({ abortSignal: this.#within(signal) });
    } catch (error) {
      if (dockerStatus(error) === 404) return;
      throw asConnectError(error, 'removing a workspace', config.dockerSocket);
    }
  }

  async removeLeftovers(signal: AbortSignal): Promise<void> {
    const { config, logger } = this.#options;
    const filters = { label: [`${LABEL.owner}=${config.owner}`, `${LABEL.kind}=sandbox`] };
    try {
      const left = await this.#docker.listContainers({
        all: true,
        filters,
        abortSignal: this.#within(signal),
      });
      await Promise.all(left.map(({ Id }) => removeContainer(this.#docker.getContainer(Id), this.#within)));
      // Sockets of those containers; none of this run is there yet.
      rmSync(config.socketDir, { recursive: true, force: true });
      if (left.length > 0) logger.info({ containers: left.length }, 'removed containers of an earlier run');
    } catch (error) {
      throw asConnectError(error, 'looking for containers of an earlier run', config.dockerSocket);
    }
  }
}

interface DockerSandboxParts {
  readonly container: Docker.Container;
  readonly socket: ToolboxSocket;
  readonly within: Within;
}

class DockerSandbox implements Sandbox {
  readonly ended: Promise<SandboxEnd>;
  readonly #parts: DockerSandboxParts;
  readonly #stopWatching = new AbortController();
  #link: ExecutorLink | undefined;
  #removal: Promise<void> | undefined;

  constructor(parts: DockerSandboxParts) {
    this.#parts = parts;
    this.ended = this.#watch();
  }

  get toolbox(): ExecutorLink['client'] {
    if (this.#link === undefined) throw new Error('this sandbox is not connected yet');
    return this.#link.client;
  }

  async connect(signal: AbortSignal): Promise<void> {
    this.#link = await this.#parts.socket.connect(this.ended, signal);
  }

  remove(): Promise<void> {
    this.#removal ??= this.#remove();
    return this.#removal;
  }

  async #remove(): Promise<void> {
    this.#stopWatching.abort();
    this.#link?.close();
    await removeContainer(this.#parts.container, this.#parts.within);
    this.#parts.socket.remove();
  }

  async #watch(): Promise<SandboxEnd> {
    for (;;) {
      const end = await this.#waitOnce();
      if (end !== undefined) return end;
    }
  }

  /** Undefined when the wait itself failed, for example with the daemon's restart, and the container still runs. */
  async #waitOnce(): Promise<SandboxEnd | undefined> {
    const abortSignal = this.#stopWatching.signal;
    try {
      const exit: { StatusCode: number } = await this.#parts.container.wait({ abortSignal });
      return abortSignal.aborted ? REMOVED : await this.#explainExit(exit.StatusCode);
    } catch (error) {
      if (abortSignal.aborted) return REMOVED;
      if (dockerStatus(error) === 404) return { kind: 'LOST', detail: 'its container was removed' };
      const isRunning = (await this.#inspectState())?.Running ?? false;
      return isRunning ? undefined : { kind: 'LOST', detail: 'its container is not running any more' };
    }
  }

  async #explainExit(exitCode: number): Promise<SandboxEnd> {
    const state = await this.#inspectState();
    if (state?.OOMKilled === true)
      return { kind: 'OUT_OF_MEMORY', detail: 'its container ran out of memory' };
    const how =
      exitCode === KILLED ? 'its container was killed' : `its container ended with code ${exitCode}`;
    return { kind: 'LOST', detail: how };
  }

  async #inspectState(): Promise<Docker.ContainerInspectInfo['State'] | undefined> {
    try {
      return (await this.#parts.container.inspect({ abortSignal: this.#parts.within() })).State;
    } catch {
      return undefined;
    }
  }
}

const REMOVED: SandboxEnd = { kind: 'REMOVED', detail: 'it was removed' };

/** Kills and removes at once; one that is gone, or being removed by somebody else, is no error. */
async function removeContainer(container: Docker.Container, within: Within): Promise<void> {
  try {
    await container.remove({ force: true, abortSignal: within() });
  } catch (error) {
    const status = dockerStatus(error);
    if (status !== 404 && status !== 409) throw error;
  }
}

/** A signal that aborts when one request to the daemon takes too long, or with the given one. */
type Within = (signal?: AbortSignal) => AbortSignal;

function withinMs(limitMs: number): Within {
  return signal => {
    const limit = AbortSignal.timeout(limitMs);
    return signal === undefined ? limit : AbortSignal.any([signal, limit]);
  };
}

/** What the toolbox wrote before it ended, for the message of a failed start. */
async function lastWords(container: Docker.Container, within: Within): Promise<string> {
  try {
    const logs = await container.logs({ stdout: true, stderr: true, tail: 5, abortSignal: within() });
    return logs
      .toString('utf8')
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, 600);
  } catch {
    return '';
  }
}

function withDetail(error: unknown, detail: string): unknown {
  if (detail === '' || !(error instanceof Error)) return error;
  return new Error(`${error.message} (its last output: ${detail})`, { cause: error });
}
