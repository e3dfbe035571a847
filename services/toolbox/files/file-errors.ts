import { ToolFailure } from '#toolbox/tool-failure.ts';

/** What the errors of file work mean to whoever asked; the path comes before each. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'lies below something that is not a directory',
  EACCES: 'may not be accessed: permission denied',
  EPERM: 'may not be changed: operation not permitted',
  EISDIR: 'is a directory',
  ELOOP: 'runs in a circle of symbolic links',
  ENAMETOOLONG: 'has a name that is too long',
  EROFS: 'lies on a read-only file system',
  ENOSPC: 'could not be written: no space left. Nothing was changed',
  EDQUOT: 'could not be written: the disk quota is used up. Nothing was changed',
  EFBIG: 'could not be written: it would exceed the file size limit. Nothing was changed',
  EMFILE: 'could not be opened: too many open files',
  ENFILE: 'could not be opened: too many open files',
};

/** The code of a Node system error, for example "ENOENT"; undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Runs file work on a path; a system error becomes a ToolFailure that names the path in the caller's words. */
export function explainErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asToolFailure(path, error);
  }
}

/** The ToolFailure of a system error; anything else is returned as it is. */
function asToolFailure(path: string, error: unknown): unknown {
  const code = errorCode(error);
  const explanation = code === undefined ? undefined : EXPLANATIONS[code];
  if (explanation === undefined) return error;
  return new ToolFailure(`${path} ${explanation}.`, undefined, { cause: error });
}
