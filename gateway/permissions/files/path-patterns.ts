import { posix } from 'node:path';
import ignore from 'ignore';
import type { PermissionFacts } from '../permission-call.ts';
import { isInside, type ResolvedPath } from './resolved-path.ts';

/**
 * How a rule is read. Rules that stop a call are read widely (letter case ignored, at any depth), rules that
 * allow it narrowly (exactly where they say).
 */
export type RuleReading = 'wide' | 'narrow';

/** Says whether a path is one that a rule means. */
export type PathMatcher = (path: ResolvedPath) => boolean;

interface AnchoredPattern {
  /** Absolute folders that the pattern is relative to, each of them. */
  readonly anchors: readonly string[];
  /** A gitignore pattern that starts with "/" or "**". */
  readonly pattern: string;
}

/**
 * Reads the gitignore pattern of a rule. Wide: the named or the real path must match; narrow: both, so that a link
 * can neither hide a target nor lend its name to one. The pattern is compiled when the first path comes.
 */
export function pathMatcher(content: string, facts: PermissionFacts, reading: RuleReading): PathMatcher {
  let compiled: ((absolute: string) => boolean) | undefined;
  return path => {
    compiled ??= compile(content, facts, reading);
    const { absolute, real } = path;
    if (reading === 'wide') return compiled(absolute) || (real !== undefined && compiled(real));
    return real !== undefined && compiled(absolute) && compiled(real);
  };
}

function compile(
  content: string,
  facts: PermissionFacts,
  reading: RuleReading,
): (absolute: string) => boolean {
  const { anchors, pattern } = anchorPattern(content, facts, reading);
  // An array, because a string would be split at line breaks into several patterns.
  const matcher = ignore({ ignorecase: reading === 'wide' }).add([pattern]);
  return absolute => anchors.some(anchor => matchesBelow(matcher, anchor, absolute, reading));
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
  if (content.startsWith('//')) return { anchors: ['/'], pattern: content.slice(1) };
  if (content.startsWith('~/')) return { anchors: [facts.homeDirectory], pattern: content.slice(1) };
  if (content.startsWith('/')) return { anchors: [facts.workspaceRoot], pattern: content };
  const anchors = relativeAnchors(facts, reading);
  if (content.startsWith('./')) return { anchors, pattern: content.slice(1) };
  if (content.startsWith('**/')) return { anchors, pattern: content };
  return { anchors, pattern: reading === 'wide' ? `**/${content}` : `/${content}` };
}

// The model can move the working directory. That must not move what a rule stops away from the workspace, nor what
// it allows out of it.
function relativeAnchors(facts: PermissionFacts, reading: RuleReading): string[] {
  const { workingDirectory, workspaceRoot } = facts;
  if (reading === 'wide') return [...new Set([workspaceRoot, workingDirectory])];
  return isInside(workingDirectory, workspaceRoot) ? [workingDirectory] : [];
}
