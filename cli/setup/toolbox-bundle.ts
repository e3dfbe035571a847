import { join } from 'node:path';
import { runLogged } from '../bootstrap/logged-command.mjs';
import type { SetupStep } from './setup-step.ts';

/** The step that bundles the toolbox into dist/toolbox; its build script does nothing when its sources are the same. */
export function toolboxBundleStep(options: {
  readonly projectFolder: string;
  readonly logFolder: string;
}): SetupStep {
  return {
    title: 'Toolbox bundle',
    readyTitle: 'Toolbox bundled',
    isDone: () => Promise.resolve(false),
    run: (_detail, signal) =>
      runLogged({
        command: process.execPath,
        args: [join('services', 'toolbox', 'build.ts')],
        cwd: options.projectFolder,
        logPath: join(options.logFolder, 'toolbox-build.log'),
        signal,
      }),
  };
}
