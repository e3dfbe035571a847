import type { CommandWord } from './command-word.ts';
import { opaqueCodeOf } from './interpreters.ts';
import { programNameOf, type SimpleCommand } from './simple-command.ts';

interface RiskyOptions {
  /** Long options, matched from any abbreviation of three letters or more. */
  readonly long: readonly string[];
  /** Short options, matched anywhere in a bundle. */
  readonly short?: string;
  /** Short options that only count before the subcommand. */
  readonly global?: string;
  /** Words of their own, such as the actions of find or subcommands. */
  readonly words?: readonly string[];
}

// Options with which a program that otherwise only reads or packs runs other programs or writes other files.
// Sources: manual pages of the programs and GTFOBins.
const riskyOptions: ReadonlyMap<string, RiskyOptions> = new Map<string, RiskyOptions>([
  [
    'find',
    {
      long: [],
      words: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fprint', '-fprint0', '-fprintf', '-fls'],
    },
  ],
  ['fd', { long: ['--exec', '--exec-batch'], short: 'xX' }],
  [
    'tar',
    {
      long: [
        '--to-command',
        '--use-compress-program',
        '--checkpoint-action',
        '--rsh-command',
        '--rmt-command',
        '--info-script',
        '--new-volume-script',
      ],
      short: 'IF',
    },
  ],
  [
    'git',
    {
      long: [
        '--exec-path',
        '--config-env',
        '--upload-pack',
        '--receive-pack',
        '--ext-diff',
        '--textconv',
        '--open-files-in-pager',
        '--output',
        '--exec',
        '--extcmd',
        '--tree-filter',
        '--template',
        '--git-dir',
        '--work-tree',
      ],
      short: 'O',
      global: 'cC',
      words: ['bisect', 'filter-branch'],
    },
  ],
  ['rg', { long: ['--pre', '--hostname-bin'] }],
  ['sort', { long: ['--compress-program', '--output', '--files0-from'], short: 'o' }],
  ['man', { long: ['--pager', '--html', '--preprocessor'], short: 'PH' }],
  ['rsync', { long: ['--rsh', '--rsync-path'], short: 'e' }],
  ['scp', { long: [], short: 'SoF' }],
  ['sftp', { long: [], short: 'SoFb' }],
  ['ssh', { long: [], short: 'oF' }],
  ['zip', { long: ['--unzip-command'], short: 'T' }],
  ['split', { long: ['--filter'] }],
  ['curl', { long: ['--config', '--output', '--remote-name'], short: 'KoO' }],
  ['wget', { long: ['--use-askpass', '--config', '--execute', '--output-document'], short: 'eO' }],
  ['file', { long: ['--magic-file', '--compile'], short: 'mC' }],
  ['less', { long: [], short: 'oO' }],
  ['tree', { long: [], short: 'o' }],
  ['xxd', { long: [], short: 'r' }],
  ['make', { long: ['--eval', '--file', '--makefile', '--directory'], short: 'fEC' }],
]);

/** Why a prefix or glob is not enough to allow the command, because of its options; undefined where it is. */
export function optionRiskOf(command: SimpleCommand): string | undefined {
  const name = programNameOf(command);
  if (name === undefined) return undefined;
  const [, ...words] = command.words;
  if (name === 'sed' || name === 'gsed') return sedRisk(words);
  if (/^(g|m|n)?awk$/.test(name)) return awkRisk(words);
  const risky = riskyOptions.get(name);
  if (risky === undefined) return opaqueCodeOf(name, words);
  const firstOperand = words.findIndex(word => !word.text.startsWith('-'));
  const found = words.find((word, index) =>
    isRisky(optionText(name, word, index), index < firstOperand, risky),
  );
  return found === undefined ? undefined : `the word ${found.text} makes ${name} run or write something else`;
}

// tar takes its first options without a "-" too.
function optionText(name: string, word: CommandWord, index: number): string {
  return name === 'tar' && index === 0 && !word.text.startsWith('-') ? `-${word.text}` : word.text;
}

function isRisky(text: string, isGlobal: boolean, risky: RiskyOptions): boolean {
  if (risky.words?.includes(text) === true) return true;
  if (text.startsWith('--')) {
    const name = text.split('=', 1)[0] ?? text;
    return name.length >= 5 && risky.long.some(option => option.startsWith(name));
  }
  const letters = `${risky.short ?? ''}${isGlobal ? (risky.global ?? '') : ''}`;
  return /^-[^-]/.test(text) && [...text.slice(1)].some(letter => letters.includes(letter));
}

// Only scripts of one plain substitution, printing or deleting: other letters may write a file or run a program,
// and so may a second command behind ";".
const plainSedScript = new RegExp(
  '^(\\d+|\\$|\\d+,(\\d+|\\$)|/[^/\\n\\\\;]*/)?([pdq=]|' +
    ['/', '|', ',', '#'].map(mark => `s[${mark}]([^${mark}\\n\\\\]*[${mark}]){2}[gpiI0-9]*`).join('|') +
    ')$',
);

function sedRisk(words: readonly CommandWord[]): string | undefined {
  const isPlain = words.every(
    word =>
      word.isLiteral &&
      (!word.text.startsWith('-') || /^-[nErsuz]+$|^--(quiet|silent|posix)$/.test(word.text)),
  );
  const script = words.find(word => !word.text.startsWith('-'));
  if (isPlain && script !== undefined && plainSedScript.test(script.text)) return undefined;
  return 'its sed script may write files or run programs';
}

// What an awk program must not hold to only print: calls, pipes, redirections, and what changes the files it reads.
const reachingAwk = /[|>@(]|getline|system|ARG[VC]|ENVIRON|PROCINFO/;

function awkRisk(words: readonly CommandWord[]): string | undefined {
  const risk = 'its awk program may read other files, write files or run programs';
  let at = 0;
  for (let word = words[at]; word?.isLiteral === true && word.text.startsWith('-'); word = words[at]) {
    if (!/^-[Fv]/.test(word.text)) return risk;
    // A lone -F or -v takes the next word, whatever that looks like.
    at += word.text.length === 2 ? 2 : 1;
  }
  const program = words[at];
  return program?.isLiteral === true && !reachingAwk.test(program.text) ? undefined : risk;
}
