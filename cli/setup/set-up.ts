import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TextOutput } from '../cli-io.ts';
import { whileLocked } from '../processes/while-locked.ts';
import { dockerDaemonStep, dockerSocket } from './docker-daemon.ts';
import { sandboxImageName, sandboxImageStep } from './sandbox-image.ts';
import { runSteps } from './setup-step.ts';
import { toolboxBundlePath, toolboxBundleStep } from './toolbox-bundle.ts';

/** What the set-up found or made. */
export interface SetUp {
  /** Image that sandboxes start from. */
  readonly sandboxImage: string;
  /** Unix socket of the Docker daemon. */
  readonly dockerSocket: string;
  /** The toolbox in one file. */
  readonly toolboxBundle: string;
}

/**
 * Makes sure that Docker answers, the sandbox image is built and the toolbox is bundled. One set-up of a project runs
 * at a time; a second one waits and then finds nothing left to do.
 */
export async function setUp(options: {
  readonly projectFolder: string;
  readonly output: TextOutput;
  readonly signal: AbortSignal;
}): Promise<SetUp> {
  const { projectFolder, output, signal } = options;
  const logFolder = join(projectFolder, '.toolgate', 'setup');
  const imagesFolder = join(projectFolder, 'sandbox-images');
  mkdirSync(logFolder, { recursive: true, mode: 0o700 });
  return whileLocked(
    {
      path: join(logFolder, 'setup.lock'),
      waitingTitle: 'Waiting for another set-up of this folder',
      output,
      signal,
    },
    async () => {
      const steps = [
        dockerDaemonStep({ logFolder }),
        sandboxImageStep({ imagesFolder, logFolder }),
        toolboxBundleStep({ projectFolder, logFolder }),
      ];
      await runSteps(steps, { output, signal });
      return {
        sandboxImage: sandboxImageName(imagesFolder),
        dockerSocket: await dockerSocket(signal),
        toolboxBundle: toolboxBundlePath(projectFolder),
      };
    },
  );
}
