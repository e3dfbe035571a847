import { Argument, type Command } from 'commander';
import { EXIT_CODES } from '../command-failure.ts';
import { bashScript } from '../completion/bash-script.ts';
import { commandTree, type TreeCommand } from '../completion/command-tree.ts';
import { fishScript } from '../completion/fish-script.ts';
import { zshScript } from '../completion/zsh-script.ts';
import { examples } from '../help/examples.ts';
import type { Perform } from './perform.ts';

const SCRIPTS: Readonly<Record<string, (tree: TreeCommand) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Adds `toolgate completion SHELL`. */
export function addCompletionCommand(program: Command, perform: Perform): void {
  program
    .command('completion')
    .description('write the script by which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      examples(
        ['source <(toolgate completion bash)', 'for this bash; put the line into ~/.bashrc for every one'],
        ['toolgate completion zsh > ~/.zfunc/_toolgate', 'for every zsh, where ~/.zfunc is in $fpath'],
        ['toolgate completion fish > ~/.config/fish/completions/toolgate.fish', 'for every fish'],
      ),
    )
    .action((shell: string, _options: object, command: Command) =>
      perform(command, async ({ io }) => {
        io.stdout.write(SCRIPTS[shell]?.(commandTree(program)) ?? '');
        return EXIT_CODES.ok;
      }),
    );
}
