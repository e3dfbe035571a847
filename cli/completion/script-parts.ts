import { allCommands, type TreeCommand, type TreeOption } from './command-tree.ts';

/** Text as one word of a POSIX shell. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Where in the tree a command is, as the scripts keep it: " sessions list", and nothing for the program itself. */
export function spotOf(command: TreeCommand): string {
  return command.path.map(word => ` ${word}`).join('');
}

/** One case of a shell: what stands before, and what to do then. */
export interface ValueCase {
  readonly patterns: readonly string[];
  readonly work: string;
}

/** What to offer after options that take a value. */
export function valueCases(
  tree: TreeCommand,
  work: {
    readonly words: (words: readonly string[]) => string;
    readonly file: string;
    readonly free: string;
  },
): ValueCase[] {
  return allCommands(tree).flatMap(command =>
    command.options.flatMap(option => {
      const patterns = option.flags.map(flag => `${spotOf(command)} ${flag}`);
      const { value } = option;
      if (value.kind === 'none') return [];
      return [{ patterns, work: value.kind === 'words' ? work.words(value.words) : work[value.kind] }];
    }),
  );
}

/** The cases that walk over the words before the cursor: into a command, or over the value of an option. */
export function stepCases(
  tree: TreeCommand,
  indent: string,
  work: { readonly enter: (spot: string) => string; readonly skip: string },
): string {
  const lines = allCommands(tree).flatMap(command => {
    const spot = spotOf(command);
    const withValue = command.options.filter(({ value }: TreeOption) => value.kind !== 'none');
    const flags = withValue.flatMap(option => option.flags).map(flag => singleQuoted(`${spot} ${flag}`));
    return [
      ...(flags.length === 0 ? [] : [`${flags.join('|')}) ${work.skip} ;;`]),
      ...command.commands.map(
        child => `${singleQuoted(`${spot} ${child.name}`)}) ${work.enter(spotOf(child))} ;;`,
      ),
    ];
  });
  return lines.map(line => `${indent}${line}`).join('\n');
}
