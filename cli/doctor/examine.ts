import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ExecutorState } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import type { CommandContext } from '../command-context.ts';
import type { DataFolder } from '../processes/data-folder.ts';
import { isServing } from '../processes/gateway-process.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { hasImage } from '../setup/base-image.ts';
import { askDocker } from '../setup/docker-daemon.ts';
import { sandboxImageName } from '../setup/sandbox-image.ts';
import { toolboxBundlePath } from '../setup/toolbox-bundle.ts';

/** What one look found. */
export interface Finding {
  /** What was looked at. */
  readonly what: string;
  /** What is wrong and how to mend it; absent when all is well. */
  readonly problem?: string;
}

/** Below this the store and the sandboxes soon run into errors. */
const LOW_DISK_BYTES = 2 * 1024 ** 3;
const OLDEST_NODE_MAJOR = 24;
/** Bits that let others than the owner at a file. */
const OTHERS_MODE_BITS = 0o077;

/** Looks at one thing after the other: first what set-up makes, then what runs. */
export async function* examine(context: CommandContext): AsyncGenerator<Finding> {
  yield* examineSetUp(context);
  yield* examineDataFolder(context.folder);
  const { address } = context;
  const serves = address !== undefined && (await isServing(address));
  const where = address === undefined ? '' : ` at ${address}`;
  yield finding(`Gateway${where}`, serves ? undefined : 'it does not answer: run "npm start".');
  if (serves) yield* examineExecutors(context);
}

async function* examineSetUp({ io }: CommandContext): AsyncGenerator<Finding> {
  const { projectFolder } = io;
  const { signal } = io.interrupts;
  yield finding(`Node ${process.versions.node}`, nodeProblem());
  const generated = existsSync(join(projectFolder, 'proto', 'gen', 'toolgate'));
  yield finding('Generated code', generated ? undefined : 'proto/gen is missing: run "npm run generate".');
  const docker = await askDocker(signal);
  yield finding('Docker', docker.answers ? undefined : `${docker.problem}; "npm start" says what to do.`);
  if (docker.answers) {
    const image = sandboxImageName(join(projectFolder, 'sandbox-images'));
    const isThere = await hasImage(image, signal);
    yield finding(`Sandbox image ${image}`, isThere ? undefined : 'it is not built: run "npm start".');
  }
  const bundle = toolboxBundlePath(projectFolder);
  yield finding('Toolbox bundle', existsSync(bundle) ? undefined : `${bundle} is missing: run "npm start".`);
}

function* examineDataFolder(folder: DataFolder): Generator<Finding> {
  for (const [name, path] of Object.entries(folder.tokens)) {
    if (existsSync(path)) yield finding(`Token ${name}`, modeProblem(path));
  }
  if (existsSync(folder.root)) yield finding('Disk space', diskProblem(folder.root));
}

async function* examineExecutors(context: CommandContext): AsyncGenerator<Finding> {
  using client = context.connect();
  const { executors } = await client.executors.listExecutors({}, { signal: context.io.interrupts.signal });
  for (const { name, state, message } of executors) {
    const problem =
      state === ExecutorState.READY ? undefined : escapeToOneLine(message) || 'it is not ready.';
    yield finding(`Executor ${escapeToOneLine(name)}`, problem);
  }
}

function finding(what: string, problem: string | undefined): Finding {
  return problem === undefined ? { what } : { what, problem };
}

function nodeProblem(): string | undefined {
  return Number(process.versions.node.split('.')[0]) >= OLDEST_NODE_MAJOR
    ? undefined
    : `the command line runs on Node ${OLDEST_NODE_MAJOR} or newer: start it by cli/toolgate.`;
}

function modeProblem(path: string): string | undefined {
  return (statSync(path).mode & OTHERS_MODE_BITS) === 0
    ? undefined
    : `others may read ${path}: run "chmod 600 ${path}".`;
}

function diskProblem(path: string): string | undefined {
  const { bavail, bsize } = statfsSync(path);
  const freeBytes = bavail * bsize;
  return freeBytes >= LOW_DISK_BYTES
    ? undefined
    : `only ${(freeBytes / 1024 ** 3).toFixed(1)} GiB are free at ${path}: make room.`;
}
