import type { CommandWord } from './command-word.ts';
import { programNameOf, type SimpleCommand } from './simple-command.ts';

interface RiskyOptions {
  /** Long options, matched from any abbreviation of three letters or more. */
  readonly long: readonly string[];
  /** Short options, matched alone or with an attached value. */
  readonly short?: string;
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
      short: 'cCOx',
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
  ['date', { long: ['--set', '--file'], short: 'sf' }],
  ['tree', { long: [], short: 'o' }],
  ['xxd', { long: [], short: 'r' }],
  ['make', { long: ['--eval', '--file', '--makefile', '--directory'], short: 'fEC' }],
  ['vim', { long: [], short: 'cS', words: [] }],
]);

/** Why a prefix or glob is not enough to allow the command, because of its options; undefined where it is. */
export function optionRiskOf(command: SimpleCommand): string | undefined {
  const name = programNameOf(command);
  if (name === undefined) return undefined;
  const [, ...words] = command.words;
  if (name === 'sed' || name === 'gsed') return sedRisk(words);
  if (/^(g|m|n)?awk$/.test(name)) return awkRisk(words);
  const risky = riskyOptions.get(name);
  const found = risky === undefined ? undefined : words.find(word => isRisky(word.text, risky));
  return found === undefined ? undefined : `the word ${found.text} makes ${name} run or write something else`;
}

function isRisky(text: string, risky: RiskyOptions): boolean {
  if (risky.words?.includes(text) === true) return true;
  if (text.startsWith('--')) {
    const name = text.split('=', 1)[0] ?? text;
    return name.length >= 5 && risky.long.some(option => option.startsWith(name));
  }
  return /^-[^-]/.test(text) && text[1] !== undefined && risky.short?.includes(text[1]) === true;
}

// Only scripts of plain substitutions, printing and deleting; every other letter may write a file or run a program.
const plainSedScript = /^(\d+|\$|\d+,(\d+|\$)|\/[^/]*\/)?(s([/|#,])[^\n\\]*?\4[^\n\\]*?\4[gpiI0-9]*|[pdq=])$/;

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

function awkRisk(words: readonly CommandWord[]): string | undefined {
  const options = words.filter(word => word.text.startsWith('-'));
  const plainOptions = options.every(word => /^-[Fv]/.test(word.text));
  const program = words.find(word => !word.text.startsWith('-'));
  const isPlain = plainOptions && program?.isLiteral === true && !/[|>@(]|getline|system/.test(program.text);
  return isPlain ? undefined : 'its awk program may write files or run programs';
}
