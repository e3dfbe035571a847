import type { CommandPattern } from './command-patterns.ts';
import { programNameOf, programOf, type SimpleCommand } from './simple-command.ts';

/** The program that every command this pattern matches must name; undefined when it may be any. */
export function programKeyOf(pattern: CommandPattern): string | undefined {
  switch (pattern.kind) {
    case 'exact':
      return pattern.words?.[0];
    case 'prefix':
      return pattern.words[0];
    default:
      return pattern.program;
  }
}

/** What the key of a pattern may be for it to match the command; undefined when only run time tells. */
export function programKeysOf(command: SimpleCommand): string[] | undefined {
  const program = programOf(command);
  const name = programNameOf(command);
  if (program === undefined || name === undefined) return undefined;
  return program === name ? [program] : [program, name];
}
