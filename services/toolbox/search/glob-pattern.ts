import { basename, dirname } from 'node:path';
import picomatch from 'picomatch';

/** A glob cut into the folder it starts in and what is matched below it. */
export interface GlobPattern {
  /** Leading part without wildcards, relative or absolute; "." when the pattern starts with a wildcard. */
  readonly base: string;
  /** True for paths relative to the base. */
  matches(relativePath: string): boolean;
  /** True when the wildcard part names dot entries, which are skipped otherwise. */
  readonly namesDotEntries: boolean;
}

/** The dialect in one sentence, for tool descriptions. */
export const GLOB_DIALECT =
  'Globs know *, ?, [a-z], {a,b} and ** for any number of folders; one without a slash matches at any depth; ' +
  'dot files and dot folders match only where the glob names their dot; what .gitignore excludes is left out.';

/** Compiles a glob of the dialect above, with its fixed leading folders as the base. */
export function compileGlob(pattern: string): GlobPattern {
  const { base, glob } = split(pattern);
  return { base, matches: matcher(base === '.' ? glob : `./${glob}`), namesDotEntries: namesDot(glob) };
}

/** Compiles a glob that is matched as a whole against paths relative to where the search starts. */
export function compileInclude(pattern: string): GlobPattern {
  return { base: '.', matches: matcher(pattern), namesDotEntries: namesDot(pattern) };
}

function matcher(glob: string): (path: string) => boolean {
  const isMatch = picomatch(glob.includes('/') ? glob.replace(/^\.\//, '') : `**/${glob}`, {
    nonegate: true,
  });
  return path => isMatch(path);
}

function namesDot(glob: string): boolean {
  return /(^|[/{,])\.[^./]/.test(glob);
}

function split(pattern: string): { base: string; glob: string } {
  const scanned = picomatch.scan(pattern, { nonegate: true });
  if (scanned.glob !== '') return { base: scanned.base === '' ? '.' : scanned.base, glob: scanned.glob };
  return { base: dirname(pattern), glob: basename(pattern) };
}
