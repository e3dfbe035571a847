import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '#toolbox/files/file-errors.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';

/** What a path leads to. */
export interface RealPath {
  /** Absolute, every link resolved; where nothing is, the nearest existing parent resolved and the rest appended. */
  readonly realPath: string;
  readonly exists: boolean;
}

/** Links followed before a path counts as circular; the kernel's own limit. */
const MAX_LINKS = 40;

/**
 * Resolves an absolute path as the kernel would, component by component: `..` after a link leaves the link's target,
 * and a link that points nowhere leads to the path where its target would be.
 */
export function resolveRealPath(absolutePath: string): RealPath {
  const pending = absolutePath.split('/').reverse();
  let found: RealPath = { realPath: '/', exists: true };
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const step = walk(found, name);
    if (step.kind === 'AT') {
      found = step.at;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new ToolFailure(`${absolutePath} runs in a circle of symbolic links.`);
    pending.push(...step.target.split('/').reverse());
    if (step.target.startsWith('/')) found = { realPath: '/', exists: true };
  }
  return found;
}

type Step = { kind: 'AT'; at: RealPath } | { kind: 'LINK'; target: string };

/** One component further; below what does not exist nothing is looked at. */
function walk(from: RealPath, name: string): Step {
  if (name === '' || name === '.') return { kind: 'AT', at: from };
  if (name === '..') {
    const parent = dirname(from.realPath);
    return { kind: 'AT', at: { realPath: parent, exists: from.exists || lookAt(parent).kind === 'OTHER' } };
  }
  const realPath = join(from.realPath, name);
  const entry: Entry = from.exists ? lookAt(realPath) : { kind: 'MISSING' };
  if (entry.kind === 'LINK') return entry;
  return { kind: 'AT', at: { realPath, exists: entry.kind === 'OTHER' } };
}

/** True when `path` is `folder` or lies below it; both absolute and resolved. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

type Entry = { kind: 'LINK'; target: string } | { kind: 'OTHER' } | { kind: 'MISSING' };

function lookAt(path: string): Entry {
  try {
    if (!lstatSync(path).isSymbolicLink()) return { kind: 'OTHER' };
    return { kind: 'LINK', target: readlinkSync(path) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'MISSING' };
    throw error;
  }
}
