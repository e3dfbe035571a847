import type { CommandWord } from './command-word.ts';

/** One program or builtin that a script starts, with its words after quote removal. */
export interface SimpleCommand {
  /** The name and its arguments; never empty. */
  readonly words: readonly CommandWord[];
  /** Variables set for this command only, in order. */
  readonly assignments: readonly CommandAssignment[];
  /** How it starts other commands: not at all, only such as are listed beside it, or in ways nobody can list. */
  readonly runsOthers: 'no' | 'listed' | 'unlisted';
  /** True when it only may be a command; enough for a rule that stops it, not for one that allows it. */
  readonly isGuess: boolean;
}

/** A variable set in front of a command. */
export interface CommandAssignment {
  readonly name: string;
  readonly value: CommandWord;
}

/** The literal program name, or undefined when it depends on run time. */
export function programOf(command: SimpleCommand): string | undefined {
  const first = command.words[0];
  return first?.isLiteral === true ? first.text : undefined;
}

/** The file name of the program without its folder: "/bin/rm" is "rm". */
export function programNameOf(command: SimpleCommand): string | undefined {
  const program = programOf(command);
  return program?.slice(program.lastIndexOf('/') + 1);
}

/** The command as one line for reasons; words that depend on run time end in "…". */
export function describeCommand(command: SimpleCommand): string {
  return command.words.map(word => (word.isLiteral ? word.text : `${word.text}…`)).join(' ');
}
