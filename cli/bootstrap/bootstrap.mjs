import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acquireFileLock } from './file-lock.mjs';
import { ensureGeneratedCode } from './generated-code.mjs';
import { ensurePackages } from './packages.mjs';
import { startProgress } from './progress.mjs';

/** What each command runs on Node 24 once packages and generated code are there. */
const PROGRAMS = new Map([
  ['start', ['cli/toolgate.ts', 'up', '--demo']],
  ['test', ['test/run/run-all.ts']],
  ['stop', ['cli/toolgate.ts', 'down']],
]);

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Makes the project runnable, then runs a command of it.
 *
 * @param {string} command
 * @param {readonly string[]} extraArguments
 * @returns {Promise<number>} exit code for this process
 */
export async function bootstrap(command, extraArguments) {
  const program = PROGRAMS.get(command);
  if (program === undefined) {
    console.error(`usage: node cli/bootstrap.mjs ${[...PROGRAMS.keys()].join('|')}`);
    return 2;
  }
  const startedAtMs = Date.now();
  try {
    await prepare();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
  return runInForeground([...program, ...extraArguments], Date.now() - startedAtMs);
}

async function prepare() {
  const setupFolder = join(PROJECT_FOLDER, '.toolgate', 'setup');
  mkdirSync(setupFolder, { recursive: true, mode: 0o700 });
  const waiting = startProgress({ title: 'Waiting for another set-up of this folder', quietMs: 500 });
  const lock = await acquireFileLock(join(setupFolder, 'bootstrap.lock'), {
    onWait: ownerPid => waiting.detail(`process ${ownerPid} is at it`),
  });
  waiting.drop();
  try {
    await ensurePackages({ projectFolder: PROJECT_FOLDER, logFolder: setupFolder });
    await ensureGeneratedCode({ projectFolder: PROJECT_FOLDER, logFolder: setupFolder });
  } finally {
    lock.release();
  }
}

/**
 * @param {readonly string[]} args
 * @param {number} preparedMs time the preparation took, for the program's own sum of phases
 * @returns {Promise<number>}
 */
function runInForeground(args, preparedMs) {
  const { PATH = '' } = process.env;
  const binFolder = join(PROJECT_FOLDER, 'node_modules', '.bin');
  const child = spawn(join(binFolder, 'node'), args, {
    cwd: PROJECT_FOLDER,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${binFolder}:${PATH}`,
      TOOLGATE_PREPARED_MS: String(preparedMs),
    },
  });
  // A terminal sends Ctrl-C to the whole foreground group: the child decides how to end, this process only waits.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  return new Promise((settle, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) =>
      settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
