import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from '../bootstrap/logged-command.mjs';
import { runCommand } from '../processes/run-command.ts';
import { findBaseImage, hasImage } from './base-image.ts';
import { hashOfFiles } from './hash-of-files.ts';
import type { SetupStep } from './setup-step.ts';

/** Name of the image that sandboxes start from. It changes with whatever the image is made of. */
export function sandboxImageName(imagesFolder: string): string {
  return `toolgate-sandbox:${hashOfFiles(imagesFolder, readdirSync(imagesFolder))}`;
}

/** The step that builds the sandbox image. */
export function sandboxImageStep(options: {
  readonly imagesFolder: string;
  readonly logFolder: string;
}): SetupStep {
  const name = sandboxImageName(options.imagesFolder);
  return {
    title: 'Sandbox image',
    readyTitle: `Sandbox image ${name} ready`,
    isDone: signal => hasImage(name, signal),
    run: async (detail, signal) => {
      const base = await findBaseImage({ ...options, detail, signal });
      detail(`building on ${base.name}`);
      const buildx = await runCommand('docker', ['buildx', 'version'], { signal });
      await runLogged({
        command: 'docker',
        // Containers on the default network may reach nothing where no registry answers, but the machine itself does.
        args: [
          'build',
          ...(base.isOffline ? ['--network', 'host'] : []),
          '--build-arg',
          `BASE_IMAGE=${base.name}`,
          '--tag',
          name,
          options.imagesFolder,
        ],
        cwd: options.imagesFolder,
        env: { ...process.env, ...(buildx.code === 0 ? {} : { DOCKER_BUILDKIT: '0' }) },
        logPath: join(options.logFolder, 'sandbox-image.log'),
        signal,
        onLine: line => detail(line),
      });
    },
  };
}
