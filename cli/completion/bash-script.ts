import { allCommands, type TreeCommand } from './command-tree.ts';
import { singleQuoted, spotOf, stepCases, valueCases } from './script-parts.ts';

/** A completion script for bash 4 and newer. */
export function bashScript(tree: TreeCommand): string {
  const { name } = tree;
  const choices = allCommands(tree).map(
    command => `    ${singleQuoted(spotOf(command))})
      if [[ $cur == -* ]]; then words=${singleQuoted(command.options.flatMap(({ flags }) => flags).join(' '))}
      else words=${singleQuoted([...command.commands.map(child => child.name), ...command.argumentWords].join(' '))}; fi ;;`,
  );
  const values = valueCases(tree, {
    words: words => `COMPREPLY=($(compgen -W ${singleQuoted(words.join(' '))} -- "$cur"))`,
    file: 'COMPREPLY=($(compgen -f -- "$cur"))',
    free: 'COMPREPLY=()',
  });
  return `# Completion of ${name} for bash: source it, for example from ~/.bashrc.
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
${stepCases(tree, '      ', { enter: spot => `at=${singleQuoted(spot)}`, skip: 'i=$((i + 1))' })}
    esac
  done
  case "$at $prev" in
${values.map(({ patterns, work }) => `    ${patterns.map(singleQuoted).join('|')}) ${work}; return ;;`).join('\n')}
  esac
  case "$at" in
${choices.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name} ${name}
`;
}
