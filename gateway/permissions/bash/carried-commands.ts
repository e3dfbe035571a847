import { readCarrierWords } from './carrier-words.ts';
import { type Carrier, carrierNamed } from './carriers.ts';
import type { CommandWord } from './command-word.ts';
import { optionCommandsOf } from './option-commands.ts';
import { programNameOf, type SimpleCommand } from './simple-command.ts';

/** What a command starts besides itself. */
export interface CarriedWork {
  readonly commands: readonly SimpleCommand[];
  /** Scripts that are parsed again, such as the word after "bash -c". */
  readonly scripts: readonly CommandWord[];
  readonly runsOthers: SimpleCommand['runsOthers'];
}

const shells = ['bash', 'sh', 'dash', 'zsh', 'ksh', 'ash', 'rbash'];
const unknownWord: CommandWord = { text: '', isLiteral: false };
const nothing: CarriedWork = { commands: [], scripts: [], runsOthers: 'no' };

/** Finds the commands and scripts among the words of a command. */
export function findCarriedWork(command: SimpleCommand): CarriedWork {
  const name = programNameOf(command);
  if (name === undefined) return { ...nothing, runsOthers: 'unlisted' };
  if (shells.includes(name)) return shellWork(command.words);
  if (name === 'eval')
    return {
      commands: [],
      scripts: [joined(withoutOptionEnd(command.words.slice(1)))],
      runsOthers: 'unlisted',
    };
  if (name === 'trap') return trapWork(command.words);
  if (name === 'find') return findWork(command);
  if (name === 'alias') return aliasWork(command.words);
  if (name === 'source' || name === '.') return sourceWork(command.words);
  const carrier = carrierNamed(name);
  const isQuery = name === 'command' && /^-[pvV]*[vV]/.test(command.words[1]?.text ?? '');
  if (isQuery) return nothing;
  return carrier === undefined ? optionWork(command) : carrierWork(name, carrier, command);
}

function optionWork(command: SimpleCommand): CarriedWork {
  const found = command.isGuess ? undefined : optionCommandsOf(command);
  return found === undefined ? nothing : { commands: [], scripts: found.scripts, runsOthers: 'unlisted' };
}

function carrierWork(name: string, carrier: Carrier, command: SimpleCommand): CarriedWork {
  const carried = readCarrierWords(carrier, command.words);
  const found = carried.isSure ? [surelyCarried(name, carried.words, command)] : possiblyCarried(command);
  const isListed = carried.isSure && carried.isTransparent && carried.words.length > 0;
  return {
    commands: found.filter(inner => inner.words.length > 0),
    // watch joins its words and gives them to a shell.
    scripts: name === 'watch' ? [joined(carried.words)] : carried.scripts,
    runsOthers: isListed ? 'listed' : 'unlisted',
  };
}

function surelyCarried(name: string, words: readonly CommandWord[], outer: SimpleCommand): SimpleCommand {
  const takesInput = name === 'xargs' && words.length > 0;
  return commandOf(takesInput ? [...words.map(withFoundPaths), unknownWord] : words, outer, false);
}

function possiblyCarried(command: SimpleCommand): SimpleCommand[] {
  // The tails of a guess are among the guesses already.
  if (command.isGuess) return [];
  const tails = command.words
    .slice(1, mostTails)
    .map((_, index) => command.words.slice(index + 1, index + 1 + longestGuess));
  return tails.map(words => commandOf(words, command, true));
}

// Guesses grow with the square of the words, so they end where no real command line still has its options.
const mostTails = 40;
const longestGuess = 80;

function shellWork(words: readonly CommandWord[]): CarriedWork {
  const { options, operand } = shellOptions(words);
  const isOnly = (pattern: RegExp) =>
    options.length > 0 && options.every(option => option.isLiteral && pattern.test(option.text));
  if (options.some(option => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(option.text))) {
    return {
      commands: [],
      scripts: operand === undefined ? [] : [operand],
      runsOthers: isOnly(/^-[eux]*c?[eux]*$/) ? 'listed' : 'unlisted',
    };
  }
  // Without a script file a shell reads commands from its input or a pipe, which nobody sees beforehand.
  const readsInput =
    operand === undefined ||
    /^\/(dev|proc)\//.test(operand.text) ||
    !operand.isLiteral ||
    options.some(option => option.text === '-s');
  if (readsInput && !isOnly(/^--(version|help)$/))
    return { commands: [], scripts: [unknownWord], runsOthers: 'unlisted' };
  return nothing;
}

function shellOptions(words: readonly CommandWord[]): {
  options: CommandWord[];
  operand: CommandWord | undefined;
} {
  const options: CommandWord[] = [];
  let index = 1;
  for (let word = words[index]; word !== undefined && /^[-+]./.test(word.text); word = words[index]) {
    index++;
    if (word.text === '--') break;
    options.push(word);
    if (/^[-+][a-zA-Z]*[oO]$|^--(rcfile|init-file)$/.test(word.text)) index++;
  }
  return { options, operand: words[index] };
}

function trapWork(words: readonly CommandWord[]): CarriedWork {
  const script = words.find((word, index) => index > 0 && word.text !== '--');
  if (script === undefined || words.length < 3) return nothing;
  return { commands: [], scripts: [script], runsOthers: 'unlisted' };
}

function aliasWork(words: readonly CommandWord[]): CarriedWork {
  const scripts = words.slice(1).flatMap(word => {
    const equals = word.text.indexOf('=');
    return equals < 0 ? [] : [{ text: word.text.slice(equals + 1), isLiteral: word.isLiteral }];
  });
  return { commands: [], scripts, runsOthers: scripts.length > 0 ? 'unlisted' : 'no' };
}

// A named file is what a rule allows or stops; what comes through a device or descriptor nobody has seen.
function sourceWork(words: readonly CommandWord[]): CarriedWork {
  const file = words[1]?.text === '--' ? words[2] : words[1];
  const isFile = file?.isLiteral === true && !/^\/(dev|proc)\//.test(file.text);
  return isFile ? nothing : { commands: [], scripts: [unknownWord], runsOthers: 'unlisted' };
}

function findWork(command: SimpleCommand): CarriedWork {
  const commands: SimpleCommand[] = [];
  const { words } = command;
  for (let index = 1; index < words.length; index++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[index]?.text ?? '')) continue;
    const end = words.findIndex((word, at) => at > index && /^[;+]$/.test(word.text));
    const carried = words.slice(index + 1, end < 0 ? words.length : end);
    if (carried.length > 0) commands.push(commandOf(carried.map(withFoundPaths), command, false));
    index += carried.length;
  }
  return { commands, scripts: [], runsOthers: commands.length > 0 ? 'unlisted' : 'no' };
}

function withFoundPaths(word: CommandWord): CommandWord {
  const hole = word.text.indexOf('{}');
  return hole < 0 ? word : { text: word.text.slice(0, hole), isLiteral: false };
}

function withoutOptionEnd(words: readonly CommandWord[]): readonly CommandWord[] {
  return words[0]?.text === '--' ? words.slice(1) : words;
}

function joined(words: readonly CommandWord[]): CommandWord {
  return { text: words.map(word => word.text).join(' '), isLiteral: words.every(word => word.isLiteral) };
}

function commandOf(words: readonly CommandWord[], outer: SimpleCommand, isGuess: boolean): SimpleCommand {
  return { words, assignments: [], runsOthers: 'no', isGuess: isGuess || outer.isGuess };
}
