import { allCommands, type TreeCommand, type TreeOption } from './command-tree.ts';
import { spotOf } from './script-parts.ts';

/** A completion script for fish, with what each word means. */
export function fishScript(tree: TreeCommand): string {
  const { name } = tree;
  const commands = allCommands(tree);
  return `# Completion of ${name} for fish: a file ${name}.fish in ~/.config/fish/completions.
function __${name}_at
    set -l at at
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$at $word"
${commands
  .flatMap(command => steps(command))
  .map(line => `            ${line}`)
  .join('\n')}
        end
    end
    echo $at
end
complete -c ${name} -f
${commands.flatMap(command => offers(name, command)).join('\n')}
`;
}

function steps(command: TreeCommand): string[] {
  const spot = fishSpot(command);
  const flags = command.options
    .filter(({ value }) => value.kind !== 'none')
    .flatMap(option => option.flags)
    .map(flag => quoted(`${spot} ${flag}`));
  return [
    ...(flags.length === 0 ? [] : [`case ${flags.join(' ')}`, '    set skip 1']),
    ...command.commands.flatMap(child => [
      `case ${quoted(`${spot} ${child.name}`)}`,
      `    set at ${quoted(fishSpot(child))}`,
    ]),
  ];
}

function offers(name: string, command: TreeCommand): string[] {
  const start = `complete -c ${name} -n ${quoted(`test "$(__${name}_at)" = ${quoted(fishSpot(command))}`)}`;
  const words = [
    ...command.commands.map(child => `${start} -a ${quoted(child.name)} -d ${quoted(child.description)}`),
    ...command.argumentWords.map(word => `${start} -a ${quoted(word)}`),
  ];
  return [...words, ...command.options.map(option => `${start} ${optionText(option)}`)];
}

function optionText({ flags, description, value }: TreeOption): string {
  const names = flags.map(flag => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const after = {
    none: '',
    file: ' -r -F',
    free: ' -x',
    words: ` -x -a ${quoted(value.kind === 'words' ? value.words.join(' ') : '')}`,
  }[value.kind];
  return `${names.join(' ')}${after} -d ${quoted(description)}`;
}

function fishSpot(command: TreeCommand): string {
  return `at${spotOf(command)}`;
}

/** In fish a backslash and a quote are all that single quotes do not take literally. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
