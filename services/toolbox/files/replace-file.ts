import { randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { explainErrors } from '#toolbox/files/file-errors.ts';
import { requireOpenedAt } from '#toolbox/files/open-file.ts';
import type { LocatedPath } from '#toolbox/workspace.ts';

const NEW_FILE_MODE = 0o666;

/**
 * Makes `bytes` the whole content of a file: a temporary file beside it, with the old one's mode and owner, renamed
 * over it. Whatever fails leaves the old content. Creates missing parent folders. Call it inside `user.run`; returns
 * the new file's stats.
 */
export function replaceFile(
  path: LocatedPath,
  bytes: Uint8Array,
  previous: BigIntStats | undefined,
): BigIntStats {
  return explainErrors(path.asked, () => {
    const folder = dirname(path.realPath);
    if (previous === undefined) mkdirSync(folder, { recursive: true });
    else requireWritable(path.realPath);
    const suffix = randomBytes(6).toString('hex');
    const temporary = join(folder, `.${basename(path.realPath).slice(0, 200)}.${suffix}`);
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, NEW_FILE_MODE);
    try {
      requireOpenedAt(path.asked, temporary, fd);
      writeAll(fd, bytes);
      if (previous !== undefined) keepModeAndOwner(fd, previous);
      renameSync(temporary, path.realPath);
      return fstatSync(fd, { bigint: true });
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
  });
}

/** A rename would replace a read-only file; opening it for writing asks the kernel first. */
function requireWritable(realPath: string): void {
  closeSync(openSync(realPath, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

function keepModeAndOwner(fd: number, previous: BigIntStats): void {
  const created = fstatSync(fd, { bigint: true });
  if (created.uid !== previous.uid || created.gid !== previous.gid) {
    fchownSync(fd, Number(previous.uid), Number(previous.gid));
  }
  fchmodSync(fd, Number(previous.mode & 0o7777n));
}
