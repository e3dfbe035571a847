import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where one installation keeps what it must not lose, and what `up` needs to find its processes again. */
export interface DataFolder {
  readonly root: string;
  /** Configuration of the gateway; written once, then the operator's. */
  readonly gatewayYaml: string;
  /** Written by the gateway when it is ready: its address and pid. */
  readonly gatewayInfo: string;
  /** Held while processes are started or stopped. */
  readonly lock: string;
  readonly logs: string;
  /** Lines that a person typed into `chat`. */
  readonly chatHistory: string;
  readonly pidFiles: { readonly gateway: string; readonly sandboxExecutor: string };
  readonly tokens: { readonly owner: string; readonly agent: string; readonly sandboxExecutor: string };
}

/** The paths of a data folder; nothing is created. */
export function dataFolderAt(root: string): DataFolder {
  const token = (name: string): string => join(root, 'tokens', `${name}.token`);
  const pids = join(root, 'pids');
  return {
    root,
    gatewayYaml: join(root, 'toolgate.yaml'),
    gatewayInfo: join(root, 'gateway.json'),
    lock: join(root, 'up.lock'),
    logs: join(root, 'logs'),
    chatHistory: join(root, 'chat-history'),
    pidFiles: { gateway: join(pids, 'gateway.json'), sandboxExecutor: join(pids, 'sandbox-executor.json') },
    tokens: {
      owner: token('owner'),
      agent: token('agent'),
      sandboxExecutor: token('executor-sandbox'),
    },
  };
}

/** Creates the folders, readable by their owner only. */
export function createDataFolder(folder: DataFolder): void {
  for (const path of [
    folder.root,
    folder.logs,
    dirname(folder.pidFiles.gateway),
    dirname(folder.tokens.owner),
  ]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}
