import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ExecutorState } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { isServing } from '../processes/gateway-process.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { hasImage } from '../setup/base-image.ts';
import { askDocker } from '../setup/docker-daemon.ts';
import { sandboxImageName } from '../setup/sandbox-image.ts';

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

/** Looks at one thing after the other. */
export async function* examine(context: CommandContext): AsyncGenerator<Finding> {
  const { io, folder, address } = context;
  const { signal } = io.interrupts;
  yield finding(`Node ${process.versions.node}`, nodeProblem());
  yield finding(
    'Generated code',
    existsSync(join(io.projectFolder, 'proto', 'gen', 'toolgate'))
      ? undefined
      : 'proto/gen is missing: run "npm run generate".',
  );
  const docker = await askDocker(signal);
  yield finding('Docker', docker.answers ? undefined : `${docker.problem}; "npm start" says what to do.`);
  if (docker.answers) {
    const image = sandboxImageName(join(io.projectFolder, 'sandbox-images'));
    const isThere = await hasImage(image, signal);
    yield finding(`Sandbox image ${image}`, isThere ? undefined : 'it is not built: run "npm start".');
  }
  yield finding(
    'Toolbox bundle',
    existsSync(join(io.projectFolder, 'dist', 'toolbox'))
      ? undefined
      : 'dist/toolbox is missing: run "npm start".',
  );
  for (const [name, path] of Object.entries(folder.tokens)) {
    if (existsSync(path)) yield finding(`Token ${name}`, modeProblem(path));
  }
  yield finding('Disk space', existsSync(folder.root) ? diskProblem(folder.root) : undefined);
  const serves = await isServing(address);
  yield finding(`Gateway at ${address}`, serves ? undefined : 'it does not answer: run "npm start".');
  if (serves) yield* examineExecutors(context);
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
