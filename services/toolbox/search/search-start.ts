import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { explainErrors } from '#toolbox/files/file-errors.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';
import type { Workspace } from '#toolbox/workspace.ts';

/** Where a search starts. */
export interface SearchStart {
  /** Real path of the folder that is entered. */
  readonly directory: string;
  /** The one file to search; undefined for the whole folder. */
  readonly file: string | undefined;
}

/** Finds out where a search starts; a missing or special path is an error. Call it inside `user.run`. */
export function locateSearch(workspace: Workspace, path: string): SearchStart {
  const located = workspace.locate(path);
  const stats = explainErrors(path, () => statSync(located.realPath));
  if (stats.isDirectory()) return { directory: located.realPath, file: undefined };
  if (!stats.isFile()) throw new ToolFailure(`${path} is neither a file nor a folder that can be searched.`);
  return { directory: dirname(located.realPath), file: basename(located.realPath) };
}
