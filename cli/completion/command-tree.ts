import type { Argument, Command, Option } from 'commander';

/** An option as a shell completes it. */
export interface TreeOption {
  /** "--output" and "-o". */
  readonly flags: readonly string[];
  readonly description: string;
  /** What may follow it. */
  readonly value: TreeValue;
}

/** What can stand after an option, or as an argument. */
export type TreeValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  | { readonly kind: 'free' };

/** A command as a shell completes it. */
export interface TreeCommand {
  /** Words after the program's name, such as ["sessions", "list"]. */
  readonly path: readonly string[];
  readonly name: string;
  readonly description: string;
  readonly options: readonly TreeOption[];
  /** Words that its first argument can be. */
  readonly argumentWords: readonly string[];
  readonly commands: readonly TreeCommand[];
}

/** Reads what can be typed from commander's own tree; options of a command hold for those below it too. */
export function commandTree(
  command: Command,
  path: readonly string[] = [],
  inherited: readonly TreeOption[] = [],
): TreeCommand {
  const help = command.createHelp();
  // What a command lists it also lists without the word, with the same options.
  const list = command.commands.find(child => child.name() === 'list');
  const visible = [command, ...(list === undefined ? [] : [list])]
    .flatMap(each => help.visibleOptions(each))
    .map(treeOption);
  const isOwn = ({ flags }: TreeOption): boolean => !inherited.some(other => other.flags[0] === flags[0]);
  const isFirst = ({ flags }: TreeOption, at: number): boolean =>
    visible.findIndex(other => other.flags[0] === flags[0]) === at;
  const options = [...visible.filter(isFirst).filter(isOwn), ...inherited];
  const passedOn = options.filter(({ flags }) => !flags.includes('--help'));
  return {
    path,
    name: command.name(),
    description: command.description(),
    options,
    argumentWords: command.registeredArguments.slice(0, 1).flatMap(argumentWords),
    commands: help
      .visibleCommands(command)
      .map(child => commandTree(child, [...path, child.name()], path.length === 0 ? passedOn : inherited)),
  };
}

/** A command and all below it. */
export function allCommands(tree: TreeCommand): TreeCommand[] {
  return [tree, ...tree.commands.flatMap(allCommands)];
}

function treeOption(option: Option): TreeOption {
  const flags = [option.long, option.short].flatMap(flag => flag ?? []);
  return { flags, description: option.description, value: optionValue(option) };
}

function optionValue(option: Option): TreeValue {
  if (!option.required && !option.optional) return { kind: 'none' };
  if (option.argChoices !== undefined) return { kind: 'words', words: option.argChoices };
  return /[<[](file|path|folder)[>\]]/.test(option.flags) ? { kind: 'file' } : { kind: 'free' };
}

function argumentWords(argument: Argument): readonly string[] {
  return argument.argChoices ?? [];
}
