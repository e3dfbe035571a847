import type { CommandWord } from './command-word.ts';
import { programNameOf, type SimpleCommand } from './simple-command.ts';

/** A file that a command takes as an operand. */
export interface OperandFile {
  readonly access: 'read' | 'write';
  readonly word: CommandWord;
}

const readers =
  'cat tac head tail less more nl wc od xxd hexdump strings file stat ls dir tree du base64 md5sum sha1sum sha256sum cksum diff cmp comm cut paste sort uniq source . find readlink realpath bat zcat gzip tar zip scp rsync curl';
const writers =
  'tee touch mkdir rmdir rm unlink shred truncate cp mv ln install chmod chown chgrp mkfifo mknod split patch unzip gunzip';
const patternFirst = 'grep egrep fgrep rg sed awk gawk mawk jq';

// Programs that both read their operands and change them, or whose last operand is the target of the others.
const readsAndWrites = 'cp mv ln install scp rsync patch tar zip gzip';

// Readers that write with an option.
const writingOptions: ReadonlyMap<string, RegExp> = new Map([
  ['sed', /^-[a-zA-Z]*i|^--i/],
  ['gawk', /^-i|^--in/],
  ['sort', /^-[a-zA-Z]*o|^--o/],
  ['find', /^-(delete|f?print|fls)/],
  ['tree', /^-o/],
  ['curl', /^-[a-zA-Z]*[oO]|^--output/],
]);

const sets = {
  readers: new Set(readers.split(' ')),
  writers: new Set(writers.split(' ')),
  patternFirst: new Set(patternFirst.split(' ')),
  readsAndWrites: new Set(readsAndWrites.split(' ')),
};

/**
 * The files that a well-known program reads or writes by its operands and attached option values. Errs towards
 * more files: these only feed rules and the safety floor, which stop calls, never what allows them.
 */
export function operandFiles(command: SimpleCommand): OperandFile[] {
  const name = programNameOf(command);
  if (name === undefined) return [];
  const words = command.words.slice(1);
  const operands = words.flatMap(fileWordsOf);
  const files = sets.patternFirst.has(name) ? withoutPattern(words) : operands;
  const isTwoWay = sets.readsAndWrites.has(name);
  const writingOption = writingOptions.get(name);
  const writes =
    sets.writers.has(name) ||
    (writingOption !== undefined && words.some(word => writingOption.test(word.text)));
  return [
    ...(isTwoWay || sets.readers.has(name) || sets.patternFirst.has(name) ? filesOf('read', files) : []),
    ...(isTwoWay || writes ? filesOf('write', operands) : []),
  ];
}

/**
 * Operands of a program whose first one is a pattern, also an empty one. Where an option brings the pattern, every
 * operand may be a file.
 */
function withoutPattern(words: readonly CommandWord[]): CommandWord[] {
  if (words.some(word => patternOption.test(word.text))) return words.flatMap(fileWordsOf);
  const first = words.findIndex(word => !word.text.startsWith('-'));
  return words.flatMap((word, index) => (index === first ? [] : fileWordsOf(word)));
}

const patternOption = /^-[a-zA-Z]*[ef]|^--(regexp|file|expression)/;

function filesOf(access: OperandFile['access'], words: readonly CommandWord[]): OperandFile[] {
  return words.map(word => ({ access, word }));
}

function fileWordsOf(word: CommandWord): CommandWord[] {
  if (!word.text.startsWith('-')) return word.text === '' && word.isLiteral ? [] : [word];
  const equals = word.text.indexOf('=');
  return equals > 0 ? [{ text: word.text.slice(equals + 1), isLiteral: word.isLiteral }] : [];
}
