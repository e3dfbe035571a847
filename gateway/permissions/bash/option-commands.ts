import type { CommandWord } from './command-word.ts';
import { programNameOf, type SimpleCommand } from './simple-command.ts';
import { awkCommands, sedCommands } from './text-tool-commands.ts';

/** Commands in the options of a program that does something else by nature. */
export interface OptionCommands {
  readonly scripts: readonly CommandWord[];
  /** The option or word that runs them. */
  readonly because: string;
}

interface CommandOptions {
  /** Long options whose value is a command, also when abbreviated. */
  readonly long: readonly string[];
  /** Short options whose value is a command. */
  readonly short?: readonly string[];
}

const options = (long: string, short = ''): CommandOptions => ({
  long: long.split(' ').filter(name => name !== ''),
  short: short.split(' ').filter(name => name !== ''),
});

// From the manual pages of the programs and GTFOBins.
const commandOptions: ReadonlyMap<string, CommandOptions> = new Map<string, CommandOptions>([
  [
    'tar',
    options(
      '--to-command --use-compress-program --checkpoint-action --rsh-command --rmt-command --info-script --new-volume-script',
      '-I -F',
    ),
  ],
  ['rg', options('--pre --hostname-bin')],
  ['sort', options('--compress-program')],
  [
    'git',
    options('--upload-pack --receive-pack --exec --extcmd --tree-filter --index-filter --msg-filter', '-x'),
  ],
  ['man', options('--pager --html --preprocessor', '-P -H')],
  ['rsync', options('--rsh --rsync-path', '-e')],
  ['scp', options('', '-S')],
  ['sftp', options('', '-S')],
  ['zip', options('--unzip-command', '-TT')],
  ['split', options('--filter')],
  ['wget', options('--use-askpass')],
  ['make', options('--eval')],
]);

const sshOption = /^(Proxy|Local|Remote|KnownHosts)Command[= ](.+)$/is;

// Settings of git whose value is a program.
const gitProgram =
  /^(alias\..+|core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)|sequence\.editor|pager\..+|.*\.(textconv|command|cmd|driver|clean|smudge|process|program|helper|vcs|uploadpack|receivepack)|diff\.external|interactive\.difffilter|include(if.*)?\.path)$/i;
const harmlessProgram = /^(cat|less|true|false|:|)$/;

/** Finds what the options of a command run; undefined where they run nothing. */
export function optionCommandsOf(command: SimpleCommand): OptionCommands | undefined {
  const name = programNameOf(command);
  if (name === undefined) return undefined;
  const words = command.words.slice(1);
  if (/^(g|m|n)?awk$/.test(name)) return awkCommands(words);
  if (/^g?sed$/.test(name)) return sedCommands(words);
  if (name === 'ssh' || name === 'scp' || name === 'sftp')
    return sshCommands(words) ?? valueCommands(name, words);
  return (name === 'git' ? gitSettings(words) : undefined) ?? valueCommands(name, words);
}

function valueCommands(name: string, words: readonly CommandWord[]): OptionCommands | undefined {
  const known = commandOptions.get(name);
  if (known === undefined) return undefined;
  const scripts: CommandWord[] = [];
  let because = '';
  for (const [index, word] of words.entries()) {
    const value = commandIn(word, words[index + 1], known);
    if (value === undefined) continue;
    scripts.push({ ...value, text: value.text.replace(/^exec=/, '') });
    because = word.text;
  }
  return scripts.length === 0 ? undefined : { scripts, because };
}

function commandIn(
  word: CommandWord,
  next: CommandWord | undefined,
  known: CommandOptions,
): CommandWord | undefined {
  if (word.text.startsWith('--')) {
    const [option = '', ...value] = word.text.split('=');
    if (option.length < 5 || !known.long.some(long => long.startsWith(option))) return undefined;
    return value.length > 0 ? { text: value.join('='), isLiteral: word.isLiteral } : next;
  }
  const short = known.short?.find(option => word.text.startsWith(option));
  if (short === undefined) return undefined;
  return word.text.length > short.length ? { ...word, text: word.text.slice(short.length) } : next;
}

function sshCommands(words: readonly CommandWord[]): OptionCommands | undefined {
  for (const [index, word] of words.entries()) {
    const value = word.text === '-o' ? words[index + 1] : { ...word, text: word.text.replace(/^-o/, '') };
    const script = sshOption.exec(value?.text ?? '')?.[2];
    if (script !== undefined && value !== undefined)
      return { scripts: [{ text: script, isLiteral: value.isLiteral }], because: value.text };
  }
  return undefined;
}

function gitSettings(words: readonly CommandWord[]): OptionCommands | undefined {
  for (const [index, word] of words.entries()) {
    const setting = words[index + 1];
    if (!/^(-c|--config-env)$/.test(word.text) || setting === undefined) continue;
    const equals = setting.text.indexOf('=');
    const key = equals < 0 ? setting.text : setting.text.slice(0, equals);
    const value = equals < 0 ? '' : setting.text.slice(equals + 1);
    if (!gitProgram.test(key) || (setting.isLiteral && harmlessProgram.test(value))) continue;
    const script = { text: value.replace(/^!/, ''), isLiteral: setting.isLiteral };
    return { scripts: [script], because: `${word.text} ${key}` };
  }
  return undefined;
}
