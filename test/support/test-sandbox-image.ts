import { fileURLToPath } from 'node:url';
import { sandboxImageName } from '../../cli/setup/sandbox-image.ts';

/** The sandbox image as `npm start` and `npm test` build it from the files of this checkout. */
export function testSandboxImage(): string {
  return sandboxImageName(fileURLToPath(new URL('../../sandbox-images', import.meta.url)));
}
