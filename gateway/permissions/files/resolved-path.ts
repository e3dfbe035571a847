import { posix } from 'node:path';
import type { PermissionFacts } from '../permission-call.ts';

/** A path of a call in the three forms that rules look at. */
export interface ResolvedPath {
  /** As the call names it. */
  readonly named: string;
  /** Absolute, without "." and ".."; links are not followed. */
  readonly absolute: string;
  /** Where it really is; undefined when nobody asked the executor. */
  readonly real: string | undefined;
  /** The absolute and the real form, where it is another one, in lower case. */
  readonly forms: readonly string[];
  /** Each segment of the absolute and the real form in lower case, and "*.ending" for each that has an ending. */
  readonly keys: readonly string[];
}

/** Resolves a path of the call against the working directory and the executor's facts. */
export function resolvePath(named: string, facts: PermissionFacts): ResolvedPath {
  const absolute = normalPath(named, facts.workingDirectory);
  const fact = facts.realPaths.get(named);
  const real = fact === undefined ? undefined : normalPath(fact, '/');
  const lower = absolute.toLowerCase();
  const forms = real === undefined || real === absolute ? [lower] : [lower, real.toLowerCase()];
  return { named, absolute, real, forms, keys: keysOf(forms) };
}

/** True when a path is a folder or lies below it; both absolute and normal. */
export function isInside(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** True when the path lies in the workspace by name and really does. An unknown real path counts as outside. */
export function isInWorkspace(path: ResolvedPath, facts: PermissionFacts): boolean {
  const root = normalPath(facts.workspaceRoot, '/');
  return isInside(path.absolute, root) && path.real !== undefined && isInside(path.real, root);
}

/** The "*.ending" of a segment with a dot. */
export function endingOf(segment: string): string {
  return `*${segment.slice(segment.lastIndexOf('.'))}`;
}

function keysOf(forms: readonly string[]): string[] {
  const keys: string[] = [];
  for (const form of forms) {
    let start = 1;
    while (start < form.length) {
      const slash = form.indexOf('/', start);
      const end = slash < 0 ? form.length : slash;
      const segment = form.slice(start, end);
      keys.push(segment);
      if (segment.includes('.')) keys.push(endingOf(segment));
      start = end + 1;
    }
  }
  return keys;
}

const perhapsNotNormal = /\/\.|\/\/|.\/$/;

function normalPath(path: string, folder: string): string {
  if (path.startsWith('/') && !perhapsNotNormal.test(path)) return path;
  return posix.resolve(folder, path);
}
