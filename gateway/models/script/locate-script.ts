import { readdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

const SCRIPT_FILE = /\.ya?ml$/;

/** Where a script is, or why there is none by that name. */
export type ScriptLocation =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'refused'; readonly problem: string };

/** Finds a script inside the folder, by real path, so that neither ".." nor a link leads out of it. */
export function locateScript(scriptsDir: string, file: string): ScriptLocation {
  if (isAbsolute(file) || file.includes('\0') || file.split(/[/\\]/).includes('..')) {
    return {
      kind: 'refused',
      problem: 'a script is named by its path below the scripts folder, without ".."',
    };
  }
  if (!SCRIPT_FILE.test(file)) {
    return { kind: 'refused', problem: 'a script is a .yaml file' };
  }
  try {
    const root = realpathSync(scriptsDir);
    const path = realpathSync(join(root, file));
    if (!path.startsWith(root + sep)) {
      return { kind: 'refused', problem: 'it is a link that leads out of the scripts folder' };
    }
    return statSync(path).isFile() ? { kind: 'found', path } : { kind: 'refused', problem: 'it is no file' };
  } catch (error) {
    return { kind: 'refused', problem: systemProblem(error) };
  }
}

/** The scripts of a folder as they are named after "script:", sorted; empty when it cannot be read. */
export function listScripts(scriptsDir: string): string[] {
  try {
    return readdirSync(scriptsDir, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && SCRIPT_FILE.test(entry.name))
      .map(entry => relative(scriptsDir, join(entry.parentPath, entry.name)))
      .sort();
  } catch {
    return [];
  }
}

function systemProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? 'there is no such file'
    : `it cannot be opened (${String(code)})`;
}
