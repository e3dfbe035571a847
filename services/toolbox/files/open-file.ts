import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  type StatsBase,
} from 'node:fs';
import { OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { explainErrors } from '#toolbox/files/file-errors.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';
import type { LocatedPath } from '#toolbox/workspace.ts';

/** A regular file that is open for reading; whoever opened it closes it. */
export interface OpenFile {
  readonly fd: number;
  readonly stats: BigIntStats;
}

/**
 * Opens a regular file for reading; anything else gets a plain error without being opened, so that a FIFO or device
 * cannot block. Call it inside `user.run`; the descriptor may be read outside.
 */
export function openRegularFile(path: LocatedPath): OpenFile {
  return explainErrors(path.asked, () => {
    requireRegularFile(path);
    const fd = openSync(path.realPath, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = fstatSync(fd, { bigint: true });
      requireKind(path.asked, stats);
      requireOpenedAt(path.asked, path.realPath, fd);
      return { fd, stats };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  });
}

/** The stats of a path that must be a regular file. Call it inside `user.run`. */
export function requireRegularFile(path: LocatedPath): BigIntStats {
  return explainErrors(path.asked, () => {
    const stats = lstatSync(path.realPath, { bigint: true });
    requireKind(path.asked, stats);
    return stats;
  });
}

function requireKind(asked: string, stats: StatsBase<bigint>): void {
  if (stats.isFile()) return;
  const hint = stats.isDirectory() ? ' Use Glob, or ls with Bash, to see what is in it.' : '';
  throw new ToolFailure(`${asked} is ${kindOf(stats)}, not a regular file.${hint}`);
}

function kindOf(stats: StatsBase<bigint>): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a named pipe (FIFO)';
  if (stats.isSocket()) return 'a socket';
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'a device';
  return 'a symbolic link';
}

/**
 * Throws unless the descriptor is open at that real path: a folder on the way may have become a link between resolving
 * and opening, and only the descriptor knows where it is.
 */
export function requireOpenedAt(asked: string, realPath: string, fd: number): void {
  const opened = readlinkSync(`/proc/self/fd/${fd}`);
  if (opened === realPath) return;
  throw new ToolFailure(
    `${asked} led to ${realPath} and then to ${opened} while it was opened. Nothing was changed; call again.`,
    OutcomeReason.FACTS_CHANGED,
  );
}
