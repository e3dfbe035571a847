import { type CommandPattern, parseCommandPattern } from './bash/command-patterns.ts';
import { type GuardedNames, guardedNames } from './files/sensitive-paths.ts';

/** What an operator adds to the safety floor. */
export interface DangerLists {
  /** File names that need a person when they are written. */
  readonly files: readonly string[];
  /** Folder names that need a person when something in them is written. */
  readonly directories: readonly string[];
  /** Commands that need a person: contents as in rules, such as "terraform destroy:*". */
  readonly commands: readonly string[];
}

/** The lists made ready once for many decisions. */
export interface Dangers {
  readonly names: GuardedNames;
  readonly commands: readonly { readonly content: string; readonly pattern: CommandPattern }[];
}

/** Compiles the lists of an operator. */
export function compileDangers({ files, directories, commands }: DangerLists): Dangers {
  return {
    names: guardedNames(files, directories),
    commands: commands.map(content => ({ content, pattern: parseCommandPattern(content) })),
  };
}
