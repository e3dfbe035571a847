import { type BigIntStats, closeSync, readFileSync } from 'node:fs';
import { explainErrors } from '#toolbox/files/file-errors.ts';
import { openRegularFile } from '#toolbox/files/open-file.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';
import type { LocatedPath } from '#toolbox/workspace.ts';

/** Largest file that is taken into memory; an edit holds it twice. */
export const WHOLE_FILE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Content and stats of a regular file of at most WHOLE_FILE_LIMIT_BYTES. Call it inside `user.run`. */
export function readWhole(path: LocatedPath): { readonly bytes: Buffer; readonly stats: BigIntStats } {
  const { fd, stats } = openRegularFile(path);
  try {
    if (stats.size > WHOLE_FILE_LIMIT_BYTES) {
      throw new ToolFailure(
        `${path.asked} has ${stats.size} bytes; files above ${WHOLE_FILE_LIMIT_BYTES} are changed with Bash.`,
      );
    }
    return { bytes: explainErrors(path.asked, () => readFileSync(fd)), stats };
  } finally {
    closeSync(fd);
  }
}
