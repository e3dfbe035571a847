import type { ContainerCreateOptions } from 'dockerode';
import type { SandboxExecutorConfig } from '#sandbox/config.ts';
import { commandVariables, type EffectiveSettings } from '#sandbox/sandbox-bounds.ts';
import { sessionName } from '#sandbox/session-name.ts';
import { TOOLBOX_MALLOC, TOOLBOX_NODE_FLAGS } from '#sandbox/toolbox-memory.ts';
import type { ToolboxSocket } from '#sandbox/toolbox-socket.ts';

/** Labels on everything the executor makes in Docker. */
export const LABEL = {
  owner: 'dev.toolgate.owner',
  session: 'dev.toolgate.session',
  kind: 'dev.toolgate.kind',
} as const;

/** Uid and gid of the commands; the images make the workspace theirs. */
const COMMAND_ID = 1000;
const TOOLS = '/opt/toolgate';
const WORKSPACE = '/workspace';
const MIB = 1024 * 1024;

/** What a container is made for. */
export interface ContainerPurpose {
  readonly config: SandboxExecutorConfig;
  readonly settings: EffectiveSettings;
  readonly sessionId: string;
  readonly socket: ToolboxSocket;
  /** Group that may enter the socket's folder; undefined where the executor is root. */
  readonly socketGroup: number | undefined;
}

/** Name of one container of a session; `id` tells it from the ones before. */
export function containerName(owner: string, sessionId: string, id: string): string {
  return `${workspaceVolume(owner, sessionId)}-${id}`;
}

/** Name of the volume that holds a session's workspace. */
export function workspaceVolume(owner: string, sessionId: string): string {
  return `toolgate-${owner}-${sessionName(sessionId)}`;
}

/**
 * The container of one session. Its root is read-only and has three capabilities left: to become the commands' user,
 * to give up groups, and to kill. Nothing but the workspace and tmpfs can be written, and there is no network.
 */
export function containerOptions(purpose: ContainerPurpose): ContainerCreateOptions {
  const { config, sessionId, socket } = purpose;
  const { image, limits } = purpose.settings;
  const volume = workspaceVolume(config.owner, sessionId);
  const labels = { [LABEL.owner]: config.owner, [LABEL.session]: sessionId };
  return {
    Image: image,
    Hostname: 'sandbox',
    User: '0:0',
    WorkingDir: '/',
    Entrypoint: [`${TOOLS}/node`],
    Cmd: [...TOOLBOX_NODE_FLAGS, `${TOOLS}/toolbox.mjs`],
    Env: toolboxEnvironment(purpose),
    Labels: { ...labels, [LABEL.kind]: 'sandbox' },
    HostConfig: {
      Init: true,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      CapAdd: ['SETUID', 'SETGID', 'KILL'],
      SecurityOpt: ['no-new-privileges:true'],
      ...(purpose.socketGroup === undefined ? {} : { GroupAdd: [String(purpose.socketGroup)] }),
      PidsLimit: limits.maxProcesses,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: limits.cpuMillis * 1_000_000,
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'nofile', Soft: 1024, Hard: 4096 },
      ],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
      // What lies in tmpfs counts as memory, and no kill would free it: half is left for processes.
      Tmpfs: {
        '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(limits.memoryBytes / 2)}`,
        [`${TOOLS}/run`]: `rw,noexec,nosuid,nodev,mode=0700,size=${64 * MIB}`,
      },
      Binds: [
        `${config.nodePath}:${TOOLS}/node:ro`,
        `${config.bundlePath}:${TOOLS}/toolbox.mjs:ro`,
        `${config.ripgrepPath}:${TOOLS}/rg:ro`,
        `${socket.folder}:${TOOLS}/socket`,
      ],
      Mounts: [
        {
          Type: 'volume',
          Source: volume,
          Target: WORKSPACE,
          VolumeOptions: {
            NoCopy: false,
            Labels: { ...labels, [LABEL.kind]: 'workspace' },
            DriverConfig: { Name: 'local', Options: {} },
          },
        },
      ],
    },
  };
}

function toolboxEnvironment(purpose: ContainerPurpose): string[] {
  const settings = {
    ...commandVariables(purpose.settings),
    ...TOOLBOX_MALLOC,
    TOOLGATE_SOCKET: `${TOOLS}/socket/${purpose.socket.fileName}`,
    TOOLGATE_SOCKET_GROUP: String(purpose.socketGroup !== undefined),
    TOOLGATE_TOKEN: purpose.socket.token,
    TOOLGATE_WORKSPACE: WORKSPACE,
    TOOLGATE_SCRATCH: '/tmp',
    TOOLGATE_COMMAND_UID: String(COMMAND_ID),
    TOOLGATE_COMMAND_GID: String(COMMAND_ID),
    TOOLGATE_HOME: '/tmp/home',
    TOOLGATE_RIPGREP: `${TOOLS}/rg`,
    TOOLGATE_RUNTIME_DIR: `${TOOLS}/run`,
    TOOLGATE_OWNS_ALL_PROCESSES: 'true',
  };
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`);
}
