import type { CommandWord } from './command-word.ts';

// Options before the subcommand that take the next word as their value.
const globalOptions: ReadonlyMap<string, readonly string[]> = new Map([
  ['git', ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env']],
  ['docker', ['-H', '--host', '-c', '--context', '-l', '--log-level', '--config']],
  ['podman', ['--url', '--connection', '--log-level']],
  ['kubectl', ['-n', '--namespace', '--context', '--cluster', '--kubeconfig', '--user', '-s', '--server']],
  ['gh', ['-R', '--repo']],
  ['npm', ['--prefix', '-w', '--workspace']],
  ['systemctl', ['-H', '--host', '-M', '--machine']],
]);

/** The words without the options between a program and its subcommand: none, or one further form. */
export function withoutGlobalOptions(words: readonly CommandWord[]): (readonly CommandWord[])[] {
  const [program, ...rest] = words;
  const valueOptions = program?.isLiteral === true ? globalOptions.get(program.text) : undefined;
  if (program === undefined || valueOptions === undefined || rest[0]?.text.startsWith('-') !== true)
    return [];
  let index = 0;
  while (rest[index]?.text.startsWith('-') === true)
    index += valueOptions.includes(rest[index]?.text ?? '') ? 2 : 1;
  return [[program, ...rest.slice(index)]];
}
