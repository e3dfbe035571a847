import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from '../bootstrap/logged-command.mjs';
import { hashOfFiles } from './hash-of-files.ts';
import type { SetupStep } from './setup-step.ts';

/** What ends up in the bundle; the versions of its packages are in the lock file. */
const SOURCES = ['services/toolbox/**/*.ts', 'services/kit/**/*.ts', 'proto/**/*.proto', 'package-lock.json'];

/** Where the toolbox lies once it is bundled. */
export function toolboxBundlePath(projectFolder: string): string {
  return join(projectFolder, 'dist', 'toolbox', 'toolbox.mjs');
}

/** The step that bundles the toolbox. A bundle of the same sources stays as it is: running sandboxes read it. */
export function toolboxBundleStep(options: {
  readonly projectFolder: string;
  readonly logFolder: string;
}): SetupStep {
  const { projectFolder } = options;
  const stampPath = join(projectFolder, 'dist', 'toolbox', '.stamp');
  const stamp = (): string => hashOfFiles(projectFolder, globSync(SOURCES, { cwd: projectFolder }));
  return {
    title: 'Toolbox bundle',
    readyTitle: 'Toolbox bundled',
    isDone: () =>
      Promise.resolve(
        existsSync(toolboxBundlePath(projectFolder)) &&
          existsSync(stampPath) &&
          readFileSync(stampPath, 'utf8') === stamp(),
      ),
    run: async (_detail, signal) => {
      await runLogged({
        command: process.execPath,
        args: [join('services', 'toolbox', 'build.ts')],
        cwd: projectFolder,
        logPath: join(options.logFolder, 'toolbox-build.log'),
        signal,
      });
      writeFileSync(stampPath, stamp());
    },
  };
}
