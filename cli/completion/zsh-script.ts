import { allCommands, type TreeCommand } from './command-tree.ts';
import { singleQuoted, spotOf, stepCases, valueCases } from './script-parts.ts';

/** A completion script for zsh, with what each word means; a file of the function path, or one to source. */
export function zshScript(tree: TreeCommand): string {
  const { name } = tree;
  const choices = allCommands(tree).map(command => {
    const options = command.options.flatMap(({ flags, description }) =>
      flags.map(flag => described(flag, description)),
    );
    const words = [
      ...command.commands.map(child => described(child.name, child.description)),
      ...command.argumentWords.map(word => described(word, '')),
    ];
    return `    ${singleQuoted(spotOf(command))})
      if [[ $words[CURRENT] == -* ]]; then items=(${options.join(' ')})
      else items=(${words.join(' ')}); fi ;;`;
  });
  const values = valueCases(tree, {
    words: words => `compadd -- ${words.map(singleQuoted).join(' ')}`,
    file: '_files',
    free: ':',
  });
  return `#compdef ${name}
# Completion of ${name} for zsh: a file _${name} in a folder of $fpath, or sourced after compinit.
_${name}() {
  local at='' i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
${stepCases(tree, '      ', { enter: spot => `at=${singleQuoted(spot)}`, skip: 'i=$((i + 1))' })}
    esac
  done
  case "$at $words[CURRENT-1]" in
${values.map(({ patterns, work }) => `    ${patterns.map(singleQuoted).join('|')}) ${work}; return ;;`).join('\n')}
  esac
  case "$at" in
${choices.join('\n')}
  esac
  if (( $#items )); then _describe ${singleQuoted(name)} items; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

/** A word with its meaning as \`_describe\` reads it: the first bare colon ends the word. */
function described(word: string, description: string): string {
  const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
  return singleQuoted(description === '' ? escaped(word) : `${escaped(word)}:${escaped(description)}`);
}
