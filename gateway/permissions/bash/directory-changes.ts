import { posix } from 'node:path';
import { programOf, type SimpleCommand } from './simple-command.ts';

/**
 * The folders a command may start in: absolute, or relative to the working directory of the call, which is "".
 */
export type Directories = readonly string[] | 'unknown';

// No script that anybody reads goes deeper; without an end, a thousand cd would cost the cube of that.
const longestFollowed = 300;

const directoryBuiltins = ['cd', 'pushd', 'popd'];

/** True when the command changes, or may change, the shell's directory. */
export function isDirectoryChange(command: SimpleCommand): boolean {
  const program = carriedBuiltin(command) ?? programOf(command);
  return program !== undefined && directoryBuiltins.includes(program);
}

/** The folder a plain "cd FOLDER" goes to, as the script names it; undefined for any other command. */
export function directoryTarget(command: SimpleCommand): string | undefined {
  const [program, target] = command.words;
  if (program?.text !== 'cd' || !program.isLiteral || command.words.length !== 2) return undefined;
  if (target?.isLiteral !== true || target.text === '' || target.text.startsWith('-')) return undefined;
  return target.text;
}

/** Where the shell may be after the command, if it was in one of these folders and the command succeeded. */
export function changedDirectories(command: SimpleCommand, directories: Directories): Directories {
  const target = directoryTarget(command);
  if (target === undefined) return 'unknown';
  // Bash takes ".." away from the name it has, without asking where links point.
  if (target.startsWith('/')) return [posix.normalize(target)];
  if (directories === 'unknown') return 'unknown';
  const changed = directories.map(directory => posix.normalize(posix.join(directory, target)));
  return changed.some(directory => directory.length > longestFollowed) ? 'unknown' : changed;
}

function carriedBuiltin(command: SimpleCommand): string | undefined {
  const program = programOf(command);
  return program === 'builtin' || program === 'command' ? command.words[1]?.text : undefined;
}
