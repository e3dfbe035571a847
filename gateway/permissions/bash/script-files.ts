import type { CommandWord } from './command-word.ts';
import { type Directories, directoryTarget } from './directory-changes.ts';
import { operandFiles } from './operand-files.ts';
import type { ScriptAnalysis } from './script-analysis.ts';

/** A file or folder that a script names. */
export interface NamedFile {
  readonly access: 'read' | 'write';
  /** Absolute, or relative to the working directory of the call; undefined when only known at run time. */
  readonly path: string | undefined;
  readonly label: string;
  readonly namedBy: 'redirection' | 'directory' | 'operand';
}

/** The files that a script's redirections open, that it enters with cd, and that well-known programs take as operands. */
export function namedFiles(analysis: ScriptAnalysis): NamedFile[] {
  const redirected = analysis.redirections.flatMap(({ access, target, directories }) =>
    placed({ access, namedBy: 'redirection' }, target, directories),
  );
  const fromCommands = analysis.commands.flatMap(({ command, directories }) => {
    const folder = directoryTarget(command);
    if (folder !== undefined)
      return placed({ access: 'read', namedBy: 'directory' }, { text: folder, isLiteral: true }, directories);
    return operandFiles(command).flatMap(({ access, word }) =>
      placed({ access, namedBy: 'operand' }, word, directories),
    );
  });
  return distinct([...redirected, ...fromCommands]);
}

// A file that is named a thousand times is judged once.
function distinct(files: readonly NamedFile[]): NamedFile[] {
  const byName = new Map(
    files.map(file => [`${file.access} ${file.namedBy} ${file.path ?? `?${file.label}`}`, file]),
  );
  return [...byName.values()];
}

/** The paths a word may name, depending on where it is read; undefined when only running the script would show. */
export function placedPaths(word: CommandWord, directories: Directories): string[] | undefined {
  if (!word.isLiteral) return undefined;
  if (word.text.startsWith('/')) return [word.text];
  if (directories === 'unknown') return undefined;
  // Not normalised: the kernel follows a link before it takes the ".." after it.
  return directories.map(directory =>
    directory === '' || directory === '.' ? word.text : `${directory}/${word.text}`,
  );
}

function placed(
  how: Pick<NamedFile, 'access' | 'namedBy'>,
  word: CommandWord,
  directories: Directories,
): NamedFile[] {
  const label = word.isLiteral ? word.text : `${word.text}…`;
  const paths = placedPaths(word, directories);
  return paths === undefined
    ? [{ ...how, path: undefined, label }]
    : paths.map(path => ({ ...how, path, label: path }));
}
