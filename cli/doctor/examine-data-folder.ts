import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs';
import type { DataFolder } from '../processes/data-folder.ts';
import { livingPid } from '../processes/pid-file.ts';
import { clockProblem } from './clock-problem.ts';
import { type Finding, finding } from './finding.ts';

/** Below this the store and the sandboxes soon run into errors. */
const LOW_DISK_BYTES = 2 * 1024 ** 3;
/** Bits that let others than the owner at a file. */
const OTHERS_MODE_BITS = 0o077;

/** Looks at the folder's rights, at what lies in it, at its disk and at the processes it names; changes nothing. */
export function* examineDataFolder(folder: DataFolder, nowMs: number): Generator<Finding> {
  if (!existsSync(folder.root)) return;
  yield finding(`Data folder ${folder.root}`, folderProblem(folder.root));
  const secrets = { ...folder.tokens, configuration: folder.gatewayYaml, history: folder.chatHistory };
  for (const [name, path] of Object.entries(secrets)) {
    if (existsSync(path))
      yield finding(secretTitle(name, folder), rightsProblem(path, statSync(path), '600'));
  }
  yield finding('Disk space', diskProblem(folder.root));
  yield finding('Clock of the disk', diskClockProblem(folder, nowMs));
  yield* examineProcess('Gateway process', folder.pidFiles.gateway);
  yield* examineProcess('Sandbox executor process', folder.pidFiles.sandboxExecutor);
}

function secretTitle(name: string, folder: DataFolder): string {
  return Object.hasOwn(folder.tokens, name) ? `Token ${name}` : `File of the ${name}`;
}

function folderProblem(path: string): string | undefined {
  const rights = rightsProblem(path, statSync(path), '700');
  if (rights !== undefined) return rights;
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch {
    return `nothing can be written into it: run "chmod 700 ${path}", or free its disk from being read-only.`;
  }
}

function rightsProblem(path: string, stats: Stats, mode: string): string | undefined {
  const user = process.geteuid?.();
  if (user !== undefined && user !== 0 && stats.uid !== user) {
    return `it belongs to user ${stats.uid}: run as that user, or "sudo chown -R $(id -u) ${path}".`;
  }
  return (stats.mode & OTHERS_MODE_BITS) === 0
    ? undefined
    : `others may use ${path}: run "chmod ${mode} ${path}".`;
}

function diskProblem(path: string): string | undefined {
  const { bavail, bsize } = statfsSync(path);
  const freeBytes = bavail * bsize;
  return freeBytes >= LOW_DISK_BYTES
    ? undefined
    : `only ${(freeBytes / 1024 ** 3).toFixed(1)} GiB are free at ${path}: make room.`;
}

/** A file that was written in the future tells that the clock was set back, or that a network disk has another one. */
function diskClockProblem(folder: DataFolder, nowMs: number): string | undefined {
  const paths = [folder.root, folder.logs, folder.gatewayInfo, folder.pidFiles.gateway];
  const newestMs = Math.max(...paths.filter(existsSync).map(path => statSync(path).mtimeMs));
  return newestMs <= nowMs ? undefined : clockProblem('the disk', newestMs - nowMs);
}

function* examineProcess(title: string, pidFile: string): Generator<Finding> {
  if (!existsSync(pidFile)) return;
  const ended = `it ended without a word, by a crash or with the machine: look at "toolgate logs" and run "npm start" (${pidFile} is from before).`;
  yield finding(title, livingPid(pidFile) === undefined ? ended : undefined);
}
