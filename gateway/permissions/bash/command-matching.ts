import { type CommandPattern, matchesAnyGlob, wordSeparator } from './command-patterns.ts';
import type { CommandWord } from './command-word.ts';
import { withoutGlobalOptions } from './global-options.ts';
import { optionRiskOf } from './option-risks.ts';
import { programOf, type SimpleCommand } from './simple-command.ts';

/** Whether a rule matches: surely, surely not, or only known when the command runs. */
export type Match = 'yes' | 'maybe' | 'no';

// Folders in which only an administrator can put programs.
const trustedFolders = ['/bin/', '/usr/bin/', '/usr/local/bin/', '/sbin/', '/usr/sbin/'];

// Variables that change how output looks, not what runs.
const inertVariable = /^(CI|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/**
 * Reads a pattern widely, for rules that stop: it looks past folders of programs, assignments and options before
 * the subcommand, and says "maybe" where words depend on run time.
 */
export function matchWidely(pattern: CommandPattern, command: SimpleCommand): Match {
  let result: Match = 'no';
  for (const words of wideForms(command.words)) {
    const match = matchWords(pattern, words);
    if (match === 'yes') return 'yes';
    if (match === 'maybe') result = 'maybe';
  }
  return result;
}

/** Reads a pattern narrowly, for rules that allow: true only when every word is sure to mean what the rule means. */
export function matchNarrowly(pattern: CommandPattern, command: SimpleCommand): boolean {
  if (command.isGuess || !hasInertAssignments(command)) return false;
  const words = trustedForm(command.words);
  if (pattern.kind === 'exact') {
    return pattern.words !== undefined && words.every(word => word.isLiteral) && equal(pattern.words, words);
  }
  // Only the exact words show all of what such a command starts or writes.
  if (command.runsOthers === 'unlisted' || optionRiskOf(command) !== undefined) return false;
  if (pattern.kind === 'prefix') {
    const known = words.slice(0, pattern.words.length);
    const rest = words.slice(pattern.words.length);
    return known.every(word => word.isLiteral) && equal(pattern.words, known) && rest.every(isSureArgument);
  }
  return words.every(isSureArgument) && matchesAnyGlob(pattern.narrow, joinNarrowly(words));
}

/** True when nothing but variables that cannot change what runs are set for the command. */
export function hasInertAssignments(command: SimpleCommand): boolean {
  return command.assignments.every(({ name, value }) => inertVariable.test(name) && value.isLiteral);
}

// A word whose beginning is known to be neither empty nor an option stays an argument whatever it expands to.
function isSureArgument(word: CommandWord): boolean {
  return word.isLiteral || (word.text !== '' && !word.text.startsWith('-'));
}

function matchWords(pattern: CommandPattern, words: readonly CommandWord[]): Match {
  switch (pattern.kind) {
    case 'prefix':
      return matchPrefix(pattern.words, words, false);
    case 'exact':
      return pattern.words === undefined ? 'no' : matchPrefix(pattern.words, words, true);
    default:
      return matchGlobWidely(pattern, words);
  }
}

function matchPrefix(expected: readonly string[], words: readonly CommandWord[], isWhole: boolean): Match {
  for (const [index, text] of expected.entries()) {
    const word = words[index];
    if (word?.isLiteral === false) return text.startsWith(word.text) ? 'maybe' : 'no';
    if (word?.text !== text) return 'no';
  }
  const rest = words.slice(expected.length);
  if (!isWhole || rest.length === 0) return 'yes';
  return rest.every(isEmptyMaybe) ? 'maybe' : 'no';
}

function isEmptyMaybe(word: CommandWord): boolean {
  return !word.isLiteral && word.text === '';
}

function matchGlobWidely(
  pattern: Extract<CommandPattern, { kind: 'glob' }>,
  words: readonly CommandWord[],
): Match {
  if (words.every(word => word.isLiteral)) return matchesAnyGlob(pattern.wide, textOf(words)) ? 'yes' : 'no';
  const firstOpen = words.findIndex(word => !word.isLiteral);
  const sure = textOf(words.slice(0, firstOpen + 1));
  // A word of which nothing is known may also be no word at all.
  const surelyThere = words[firstOpen]?.text === '' ? textOf(words.slice(0, firstOpen)) : sure;
  const takesAnyRest = pattern.wide.filter(glob => glob.length > 1 && glob.at(-1) === '');
  if (firstOpen > 0 && matchesAnyGlob(takesAnyRest, surelyThere)) return 'yes';
  const heads = pattern.wide.map(glob => glob[0] ?? '');
  return heads.some(head => head.startsWith(sure) || sure.startsWith(head)) ? 'maybe' : 'no';
}

function textOf(words: readonly CommandWord[]): string {
  return words.map(word => word.text).join(wordSeparator);
}

// The end of an uncertain word is written as a character that no pattern can hold, so that only "*" matches it.
function joinNarrowly(words: readonly CommandWord[]): string {
  return words.map(word => (word.isLiteral ? word.text : `${word.text}\u0001`)).join(wordSeparator);
}

function equal(expected: readonly string[], words: readonly CommandWord[]): boolean {
  return expected.length === words.length && expected.every((text, index) => words[index]?.text === text);
}

/** The command as written, and as rules that stop also read it: without the program's folder, without global options. */
export function wideForms(words: readonly CommandWord[]): (readonly CommandWord[])[] {
  const forms = [words];
  const [program, ...rest] = words;
  if (program?.isLiteral === true && program.text.includes('/')) {
    const name = program.text.slice(program.text.lastIndexOf('/') + 1);
    forms.push([{ text: name, isLiteral: true }, ...rest]);
  }
  return [...forms, ...forms.flatMap(withoutGlobalOptions)];
}

function trustedForm(words: readonly CommandWord[]): readonly CommandWord[] {
  const [program, ...rest] = words;
  const folder = trustedFolders.find(prefix => program?.text.startsWith(prefix));
  if (program?.isLiteral !== true || folder === undefined) return words;
  const name = program.text.slice(folder.length);
  return name.includes('/') ? words : [{ text: name, isLiteral: true }, ...rest];
}

/** True when the program is named by a path that starts at the current folder, such as "./build.sh". */
export function isRelativeProgram(command: SimpleCommand): boolean {
  const program = programOf(command);
  return program?.includes('/') === true && !program.startsWith('/');
}
