import { posix } from 'node:path';
import ignore from 'ignore';
import type { PermissionFacts } from '../permission-call.ts';
import type { ResolvedPath } from './resolved-path.ts';

/**
 * How a rule is read. Rules that stop a call are read widely (letter case ignored, at any depth), rules that
 * allow it narrowly (exactly where they say).
 */
export type RuleReading = 'wide' | 'narrow';

interface AnchoredPattern {
  /** Absolute folder that the pattern is relative to. */
  readonly anchor: string;
  /** A gitignore pattern that starts with "/" or "**". */
  readonly pattern: string;
}

/**
 * True when a gitignore pattern of a rule matches a path. Wide: the named or the real path; narrow: both, so that
 * a link can neither hide a target nor lend its name to one.
 */
export function matchesPath(
  content: string,
  path: ResolvedPath,
  facts: PermissionFacts,
  reading: RuleReading,
): boolean {
  const { anchor, pattern } = anchorPattern(content, facts, reading);
  // An array, because a string would be split at line breaks into several patterns.
  const matcher = ignore({ ignorecase: reading === 'wide' }).add([pattern]);
  const matches = (absolute: string) => matchesBelow(matcher, anchor, absolute, reading);
  if (reading === 'wide') return matches(path.absolute) || (path.real !== undefined && matches(path.real));
  return path.real !== undefined && matches(path.absolute) && matches(path.real);
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
  if (matcher.ignores(relative)) return true;
  return reading === 'wide' && matcher.ignores(`${relative}/`);
}

function anchorPattern(written: string, facts: PermissionFacts, reading: RuleReading): AnchoredPattern {
  // To stop what is in a folder is to stop listing or replacing the folder; to allow the one does not allow the other.
  const content = reading === 'wide' ? written.replace(/([^/*])\/\*\*$/, '$1') : written;
  if (content.startsWith('//')) return { anchor: '/', pattern: content.slice(1) };
  if (content.startsWith('~/')) return { anchor: facts.homeDirectory, pattern: content.slice(1) };
  if (content.startsWith('/')) return { anchor: facts.workspaceRoot, pattern: content };
  const anchor = facts.workingDirectory;
  if (content.startsWith('./')) return { anchor, pattern: content.slice(1) };
  if (content.startsWith('**/')) return { anchor, pattern: content };
  return { anchor, pattern: reading === 'wide' ? `**/${content}` : `/${content}` };
}
