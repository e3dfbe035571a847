import type { CommandWord } from './command-word.ts';
import { optionRiskOf } from './option-risks.ts';
import { programNameOf, type SimpleCommand } from './simple-command.ts';

interface Reading {
  /** Long options, with or without "=value", that only choose what is shown. */
  readonly long: ReadonlySet<string>;
  /** Letters of short options. */
  readonly short: string;
  /** False when a word that is no option would change something. */
  readonly takesOperands: boolean;
}

const set = (options: string): Set<string> => new Set(options.split(' ').map(option => `--${option}`));

const shows =
  'stat shortstat numstat dirstat summary name-only name-status patch no-patch raw cached staged unified word-diff color no-color ' +
  'color-words ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol diff-filter find-renames no-renames ' +
  'find-copies minimal patience histogram full-index abbrev abbrev-commit no-ext-diff no-textconv exit-code quiet check ' +
  'relative function-context merge-base oneline graph decorate no-decorate all author committer grep invert-grep ' +
  'regexp-ignore-case since until after before max-count skip reverse format pretty date merges no-merges first-parent follow ' +
  'branches tags remotes topo-order date-order cherry-pick left-right cherry show-signature no-notes source simplify-by-decoration';

const logLike = (more = ''): Reading => ({
  long: set(`${shows} ${more}`.trim()),
  short: 'abcdeghiklmnpqrstuvwzBCDEFGLMNPRSTUWX0123456789',
  takesOperands: true,
});
const listing = (long: string, short: string, takesOperands = true): Reading => ({
  long: set(long),
  short,
  takesOperands,
});

// From the manual pages of git 2.39. What is not here may write, reach the network or start another program.
const readings: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['log', logLike()],
  ['diff', logLike()],
  ['show', logLike()],
  ['shortlog', logLike('summary numbered email group')],
  ['rev-list', logLike('count objects')],
  ['diff-tree', logLike('root no-commit-id')],
  [
    'status',
    listing('short branch porcelain long verbose untracked-files ignored ahead-behind no-renames', 'sbvuz'),
  ],
  ['blame', listing('line-porcelain porcelain root show-stats since date abbrev', 'lLstefnwMCb')],
  [
    'ls-files',
    listing(
      'cached deleted modified others ignored stage unmerged exclude-standard full-name error-unmatch',
      'cdmoistuvz',
    ),
  ],
  ['ls-tree', listing('name-only name-status long full-name full-tree object-only', 'rdtlz')],
  [
    'rev-parse',
    listing(
      'verify short abbrev-ref show-toplevel show-prefix is-inside-work-tree git-dir symbolic-full-name show-cdup absolute-git-dir',
      'q',
    ),
  ],
  ['describe', listing('tags all always long dirty abbrev match exact-match contains first-parent', '')],
  ['cat-file', listing('', 'tpse')],
  ['merge-base', listing('all is-ancestor octopus fork-point', 'a')],
  ['name-rev', listing('tags name-only always', '')],
  ['for-each-ref', listing('format sort count contains merged no-merged points-at', '')],
  ['count-objects', listing('verbose human-readable', 'vH')],
  ['branch', listing('list all remotes show-current verbose column no-column sort format', 'arvl', false)],
  ['tag', listing('list column sort format', 'ln0123456789', false)],
  ['remote', listing('verbose', 'v', false)],
]);

/** True when git surely only shows something, as long as the configuration of the repository starts nothing. */
export function onlyShowsRepository(command: SimpleCommand): boolean {
  if (programNameOf(command) !== 'git' || command.words[0]?.text.includes('/') === true) return false;
  if (command.isGuess || command.assignments.length > 0 || optionRiskOf(command) !== undefined) return false;
  const [subcommand, ...words] = command.words.slice(1);
  if (subcommand?.isLiteral !== true || !words.every(word => word.isLiteral)) return false;
  const reading = readings.get(subcommand.text);
  if (reading === undefined || isListing(subcommand, words)) return isListing(subcommand, words);
  const end = words.findIndex(({ text }) => text === '--');
  const options = end < 0 ? words : words.slice(0, end);
  return options.every(({ text }) => isKnown(text, reading)) && (end < 0 || reading.takesOperands);
}

function isKnown(text: string, reading: Reading): boolean {
  if (!text.startsWith('-')) return reading.takesOperands;
  if (text.startsWith('--')) return reading.long.has(text.split('=', 1)[0] ?? text);
  const [letter = ''] = text.slice(1);
  // Letters after the first may be its value, as in "-Sterm".
  const rest = reading.takesOperands && /[SGLUMCnDW]/.test(letter) ? '' : text.slice(2);
  return [letter, ...rest].every(each => reading.short.includes(each));
}

// Commands whose first operand says what they do.
function isListing(subcommand: CommandWord, words: readonly CommandWord[]): boolean {
  const line = [subcommand, ...words].map(({ text }) => text).join(' ');
  return /^(stash list|stash show( -p| --stat)?( stash@\{\d+\})?|worktree list|remote get-url [\w.-]+|reflog|reflog show)$/.test(
    line,
  );
}
