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
}

/** Resolves a path of the call against the working directory and the executor's facts. */
export function resolvePath(named: string, facts: PermissionFacts): ResolvedPath {
  const absolute = withoutTrailingSlash(posix.resolve(facts.workingDirectory, named));
  const real = facts.realPaths.get(named);
  return { named, absolute, real: real === undefined ? undefined : posix.resolve('/', real) };
}

/** True when a path is a folder or lies below it; both absolute and normal. */
export function isInside(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** True when the path lies in the workspace by name and really does. An unknown real path counts as outside. */
export function isInWorkspace(path: ResolvedPath, facts: PermissionFacts): boolean {
  const root = withoutTrailingSlash(posix.resolve('/', facts.workspaceRoot));
  return isInside(path.absolute, root) && path.real !== undefined && isInside(path.real, root);
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
