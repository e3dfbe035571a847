import { posix } from 'node:path';
import ignore from 'ignore';
import type { PermissionFacts } from '../permission-call.ts';
import { isInside, type ResolvedPath } from './resolved-path.ts';

/**
 * How a rule is read. Rules that stop a call are read widely (letter case ignored, at any depth), rules that
 * allow it narrowly (exactly where they say).
 */
export type RuleReading = 'wide' | 'narrow';

/** The gitignore pattern of a rule. */
export interface PathPattern {
  /**
   * Read widely, the named or the real path must match; narrowly, both, so that a link can neither hide a target nor
   * lend its name to one.
   */
  matches(path: ResolvedPath, facts: PermissionFacts): boolean;
  /** Whether it may match something below a folder; true where nobody can say. */
  mayMatchBelow(folder: ResolvedPath, facts: PermissionFacts): boolean;
}

// The folders that the pattern is relative to.
type Anchor = 'root' | 'home' | 'workspace' | 'nearby';

// The library remembers every path it was asked about, without end.
const mostRemembered = 1_000;

/** Reads the gitignore pattern of a rule. */
export function parsePathPattern(content: string, reading: RuleReading): PathPattern {
  const { anchor, pattern } = anchorPattern(content, reading);
  let asked = 0;
  let matcher = ignore();
  const isBelow = (absolute: string, facts: PermissionFacts) => {
    // An array, because a string would be split at line breaks into several patterns.
    if (asked % mostRemembered === 0) matcher = ignore({ ignorecase: reading === 'wide' }).add([pattern]);
    asked++;
    return anchorsOf(anchor, facts, reading).some(folder => matchesBelow(matcher, folder, absolute, reading));
  };
  return {
    matches: ({ absolute, real }, facts) => {
      if (reading === 'wide') return isBelow(absolute, facts) || (real !== undefined && isBelow(real, facts));
      return real !== undefined && isBelow(absolute, facts) && isBelow(real, facts);
    },
    mayMatchBelow: ({ absolute, real }, facts) => {
      const fixed = fixedPart(pattern);
      return anchorsOf(anchor, facts, reading).some(start =>
        [absolute, real ?? absolute].some(folder => overlaps(posix.join(start, fixed), folder)),
      );
    },
  };
}

/** The folders of a pattern before its first wildcard; none for one that matches at any depth. */
function fixedPart(pattern: string): string {
  const names = pattern.split('/');
  const wild = names.findIndex(name => /[*?[\]!\\]/.test(name));
  return names.slice(0, wild === -1 ? names.length : wild).join('/');
}

function overlaps(one: string, other: string): boolean {
  return isInside(one, other) || isInside(other, one);
}

function matchesBelow(
  matcher: ignore.Ignore,
  anchor: string,
  absolute: string,
  reading: RuleReading,
): boolean {
  const relative = posix.relative(anchor, absolute);
  // The library throws on the anchor itself and on paths outside it.
  if (relative === '' || relative === '..' || relative.startsWith('../')) return false;
  try {
    return matcher.ignores(relative) || (reading === 'wide' && matcher.ignores(`${relative}/`));
  } catch {
    // No pattern at all, which no rule is stored with: it allows nothing and stops everything.
    return reading === 'wide';
  }
}

function anchorPattern(written: string, reading: RuleReading): { anchor: Anchor; pattern: string } {
  // To stop what is in a folder is to stop listing or replacing the folder; to allow the one does not allow the other.
  const content = reading === 'wide' ? written.replace(/([^/*])\/\*\*$/, '$1') : written;
  if (content.startsWith('//')) return { anchor: 'root', pattern: content.slice(1) };
  if (content.startsWith('~/')) return { anchor: 'home', pattern: content.slice(1) };
  if (content.startsWith('/')) return { anchor: 'workspace', pattern: content };
  if (content.startsWith('./')) return { anchor: 'nearby', pattern: content.slice(1) };
  if (content.startsWith('**/')) return { anchor: 'nearby', pattern: content };
  return { anchor: 'nearby', pattern: reading === 'wide' ? `**/${content}` : `/${content}` };
}

function anchorsOf(anchor: Anchor, facts: PermissionFacts, reading: RuleReading): readonly string[] {
  switch (anchor) {
    case 'root':
      return ['/'];
    case 'home':
      return [facts.homeDirectory];
    case 'workspace':
      return [facts.workspaceRoot];
    default:
      return nearbyFolders(facts, reading);
  }
}

// The model can move the working directory. That must not move what a rule stops away from the workspace, nor what
// it allows out of it.
function nearbyFolders(facts: PermissionFacts, reading: RuleReading): string[] {
  const { workingDirectory, workspaceRoot } = facts;
  if (reading === 'wide') return [...new Set([workspaceRoot, workingDirectory])];
  return isInside(workingDirectory, workspaceRoot) ? [workingDirectory] : [];
}

/** True for a content that the library can make a pattern of. */
export function isPathPattern(content: string, reading: RuleReading): boolean {
  try {
    ignore()
      .add([anchorPattern(content, reading).pattern])
      .ignores('a/b');
    return true;
  } catch {
    return false;
  }
}

/** A path written so that as a pattern it means itself. */
export function escapePath(path: string): string {
  return path.replaceAll(/[\\*?[\]! #]/g, character => `\\${character}`);
}
