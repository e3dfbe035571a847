import { existsSync } from 'node:fs';
import { startProgress } from '../bootstrap/progress.mjs';
import type { TextOutput } from '../cli-io.ts';
import { CommandFailure } from '../command-failure.ts';
import type { SetUp } from '../setup/set-up.ts';
import { createDataFolder, type DataFolder } from './data-folder.ts';
import { type DetachedProgram, startDetached, stopDetached } from './detached-process.ts';
import { ensureGatewayFile, listenAddress, readGatewayFile, sandboxEndpoint } from './gateway-file.ts';
import { checkPortIsFree, gatewayProgram, readGatewayInfo } from './gateway-process.ts';
import { livingPid } from './pid-file.ts';
import { ensureExecutorToken, sandboxProgram } from './sandbox-process.ts';
import { whileLocked } from './while-locked.ts';

/** What the gateway may take after its replies had their time to finish. */
const AFTER_DRAIN_MS = 5_000;
/** Removing the containers of a machine full of sessions. */
const EXECUTOR_GRACE_MS = 20_000;

/** Whose processes, and where to show what happens to them. */
export interface StopOptions {
  readonly folder: DataFolder;
  readonly output: TextOutput;
  readonly signal: AbortSignal;
}

/** What starting needs besides. */
export interface StartOptions extends StopOptions {
  readonly projectFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly setUp: SetUp;
}

/** What runs now. */
export interface RunningToolgate {
  readonly address: string;
  /** Titles of what was started; empty when everything ran already. */
  readonly started: readonly string[];
}

/** Starts what does not run: first the sandbox executor, then the gateway. What runs is left alone. */
export function bringUp(options: StartOptions): Promise<RunningToolgate> {
  const { folder, projectFolder } = options;
  return alone(options, async () => {
    const file = await ensureGatewayFile(folder, projectFolder, options.env);
    const started: string[] = [];
    const endpoint = sandboxEndpoint(file, folder);
    if (endpoint !== undefined) {
      ensureExecutorToken(endpoint.tokenFile);
      const program = sandboxProgram({ folder, projectFolder, endpoint, setUp: options.setUp });
      if (await ensureRuns(program, options)) started.push(program.title);
    }
    const gateway = gatewayProgram(folder, projectFolder);
    if (livingPid(gateway.pidFile) === undefined) {
      await checkPortIsFree(listenAddress(file, options.env), folder);
    }
    if (await ensureRuns(gateway, options)) started.push(gateway.title);
    const info = readGatewayInfo(folder);
    if (info === undefined) throw new CommandFailure(`The gateway wrote no ${folder.gatewayInfo}.`);
    return { address: info.address, started };
  });
}

/** Stops the gateway, then the sandbox executor. Returns a line for a person about each that ran. */
export function bringDown(options: StopOptions): Promise<string[]> {
  const { folder, output, signal } = options;
  return alone(options, async () => {
    const lines: string[] = [];
    const stop = async (title: string, pidFile: string, graceMs: number): Promise<void> => {
      const progress = startProgress({ title: `Stopping the ${title}`, output, quietMs: 500 });
      const end = await stopDetached(pidFile, { graceMs, signal }).finally(() => progress.drop());
      if (end === 'stopped') lines.push(`The ${title} has stopped.`);
      if (end === 'killed') lines.push(`The ${title} did not stop in ${graceMs / 1000} s and was killed.`);
    };
    const drainMs = existsSync(folder.gatewayYaml) ? readGatewayFile(folder).limits.drainMs : 0;
    await stop('gateway', folder.pidFiles.gateway, drainMs + AFTER_DRAIN_MS);
    await stop('sandbox executor', folder.pidFiles.sandboxExecutor, EXECUTOR_GRACE_MS);
    return lines;
  });
}

/** Two commands never start or stop the processes of one data folder at once. */
function alone<Result>(options: StopOptions, work: () => Promise<Result>): Promise<Result> {
  createDataFolder(options.folder);
  const { output, signal } = options;
  return whileLocked(
    {
      path: options.folder.lock,
      waitingTitle: 'Waiting for another start or stop',
      output,
      signal,
    },
    work,
  );
}

async function ensureRuns(program: DetachedProgram, options: StopOptions): Promise<boolean> {
  const pid = livingPid(program.pidFile);
  if (pid !== undefined) {
    if (await program.isReady(pid)) return false;
    throw new CommandFailure(
      `The ${program.title} runs (process ${pid}) but does not answer: look at ${program.logFile}, or run "toolgate down" and start again.`,
    );
  }
  const progress = startProgress({ title: `Starting the ${program.title}`, output: options.output });
  try {
    await startDetached(program, options.signal);
    progress.done(`${program.title[0]?.toUpperCase()}${program.title.slice(1)} started`);
    return true;
  } catch (error) {
    progress.fail();
    throw error;
  }
}
