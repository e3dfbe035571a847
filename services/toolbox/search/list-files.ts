import type { GlobPattern } from '#toolbox/search/glob-pattern.ts';
import type { Ripgrep } from '#toolbox/search/ripgrep.ts';

/** Which files are listed. */
export interface FileListing {
  /** Real path of the folder; results are relative to it. */
  readonly directory: string;
  readonly pattern: GlobPattern;
  /** Paths that are kept; the rest is counted. */
  readonly limit: number;
  /** Also what .gitignore excludes and what starts with a dot. */
  readonly everything?: boolean;
  readonly signal: AbortSignal;
}

/** Files that match. */
export interface FoundFiles {
  /** Relative to the folder, sorted by path. */
  readonly paths: readonly string[];
  /** All matches, kept or not. */
  readonly total: number;
  /** What could not be looked into, as ripgrep says it. */
  readonly problems: string;
}

const NUL = 0;
/** Matches after which counting ends. */
const COUNT_LIMIT = 100_000;
/** Makes dot entries visible, all but git's own data. */
const DOT_ENTRY_ARGS = ['--hidden', '--glob', '!**/.git/**'];

/** Lists the files below a folder that match a glob. */
export async function listFiles(ripgrep: Ripgrep, listing: FileListing): Promise<FoundFiles> {
  const paths: string[] = [];
  let total = 0;
  const isDotVisible = listing.pattern.namesDotEntries || listing.everything === true;
  const { messages } = await ripgrep({
    directory: listing.directory,
    args: [
      '--files',
      '--null',
      '--sort=path',
      ...(isDotVisible ? DOT_ENTRY_ARGS : []),
      ...(listing.everything === true ? ['--no-ignore'] : []),
    ],
    separator: NUL,
    onRecord: record => {
      const path = record.toString();
      if (!listing.pattern.matches(path)) return true;
      total += 1;
      if (paths.length < listing.limit) paths.push(path);
      return total < COUNT_LIMIT;
    },
    signal: listing.signal,
  });
  return { paths, total, problems: messages };
}
