import type { CommandWord } from './command-word.ts';
import { optionRiskOf } from './option-risks.ts';
import { programOf, type SimpleCommand } from './simple-command.ts';

/** What a harmless command touches: the files its operands name, each of which must be looked at. */
export interface HarmlessWork {
  readonly kind: 'reads' | 'edits';
  readonly files: readonly CommandWord[];
}

interface Shape {
  readonly kind: HarmlessWork['kind'];
  /** Letters of short options without a value. */
  readonly flags: string;
  /** Options that always have a value, attached or in the next word, which is no file. */
  readonly valued?: readonly string[];
  /** Long options without a value. */
  readonly long?: readonly string[];
  /** What the operands are: files, or one word that is no file and then files, or no files at all. */
  readonly operands: 'files' | 'word-then-files' | 'words';
  /** Most operands; a further one would mean something else. */
  readonly mostOperands?: number;
}

const reads = (
  operands: Shape['operands'],
  flags = '',
  valued: readonly string[] = [],
  long: readonly string[] = [],
): Shape => ({ kind: 'reads', operands, flags, valued, long });

// Only options that are known to be harmless; an option that is not here makes the command an ordinary one.
// None of them reads all files of a folder, because a rule about one of them would not be seen, and none writes to
// a name inside a folder it is given, because that name may be a link.
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['cat', reads('files', 'AbeEnstTuv')],
  ['head', reads('files', 'qvz0123456789', ['-n', '-c', '--lines', '--bytes'])],
  ['tail', reads('files', 'qvz0123456789', ['-n', '-c', '--lines', '--bytes'])],
  ['wc', reads('files', 'clmwL', [], ['--lines', '--words', '--bytes', '--chars'])],
  [
    'cut',
    reads(
      'files',
      'snz',
      ['-b', '-c', '-d', '-f', '--delimiter', '--fields', '--characters'],
      ['--complement'],
    ),
  ],
  ['tr', reads('words', 'cCdst')],
  ['nl', reads('files', '', ['-b', '-w', '-s', '-v'])],
  ['uniq', { ...reads('files', 'cdiuz', ['-f', '-s', '-w']), mostOperands: 1 }],
  [
    'sort',
    reads(
      'files',
      'bdfghiMnRrVcCmsuz',
      ['-k', '-t', '--key', '--field-separator'],
      ['--reverse', '--unique'],
    ),
  ],
  [
    'grep',
    reads('word-then-files', 'EFGPivwxcLlmnohHsqz', ['-A', '-B', '-C', '-m', '--max-count'], ['--count']),
  ],
  [
    'ls',
    reads('files', '1aAbBcCdfFgGhHiklmnNopqQrsStuUvxXZ', ['--sort', '--time'], ['--all', '--human-readable']),
  ],
  ['stat', reads('files', 't', ['-c', '--format'])],
  ['basename', reads('words', '')],
  ['dirname', reads('words', '')],
  ['echo', reads('words', 'neE')],
  ['pwd', reads('words', 'LP')],
  ['true', reads('words', '')],
  ['false', reads('words', '')],
  ['whoami', reads('words', '')],
  ['id', reads('words', 'ugGnr')],
  ['uname', reads('words', 'asnrvmpio')],
  ['awk', reads('word-then-files', '', ['-F'])],
  ['sed', reads('word-then-files', 'nErsuz')],
  ['mkdir', { kind: 'edits', operands: 'files', flags: 'pv', long: ['--parents', '--verbose'] }],
  ['rmdir', { kind: 'edits', operands: 'files', flags: 'pv' }],
  ['touch', { kind: 'edits', operands: 'files', flags: 'acm' }],
  ['mv', { kind: 'edits', operands: 'files', flags: 'nuvf' }],
]);

/** What the command touches when it surely only reads, or only edits files it names; undefined for any other. */
export function harmlessWorkOf(command: SimpleCommand): HarmlessWork | undefined {
  const program = programOf(command);
  if (program === undefined || command.isGuess || command.assignments.length > 0) return undefined;
  if (program === 'find') return findWork(command.words.slice(1));
  const shape = shapes.get(program);
  if (shape === undefined || command.runsOthers !== 'no' || optionRiskOf(command) !== undefined)
    return undefined;
  const operands = operandsOf(command.words.slice(1), shape);
  if (operands === undefined || operands.length > (shape.mostOperands ?? Number.POSITIVE_INFINITY))
    return undefined;
  if (shape.operands === 'words') return { kind: shape.kind, files: [] };
  const files = shape.operands === 'files' ? operands : operands.slice(1);
  return files.every(word => word.isLiteral) ? { kind: shape.kind, files } : undefined;
}

// Undefined when an option is not known to be harmless, or a word could become one.
function operandsOf(words: readonly CommandWord[], shape: Shape): CommandWord[] | undefined {
  const operands: CommandWord[] = [];
  for (let index = 0; index < words.length; ) {
    const word = words[index];
    if (word === undefined) break;
    if (word.isLiteral && word.text === '--') return [...operands, ...words.slice(index + 1)];
    const used = mayBeOption(word) ? wordsOfOption(word, shape) : 1;
    if (used === 0) return undefined;
    if (!mayBeOption(word)) operands.push(word);
    index += used;
  }
  return operands;
}

function mayBeOption(word: CommandWord): boolean {
  return word.isLiteral ? /^-./.test(word.text) : !/^[^-]/.test(word.text);
}

// How many words an option takes, 0 when it is not known to be harmless.
function wordsOfOption(word: CommandWord, shape: Shape): number {
  // echo and the like print whatever a word becomes.
  if (!word.isLiteral) return shape.operands === 'words' ? 1 : 0;
  if (shape.valued?.includes(word.text) === true) return 2;
  if (shape.long?.includes(word.text) === true) return 1;
  const isAttached = shape.valued?.some(option =>
    option.startsWith('--') ? word.text.startsWith(`${option}=`) : word.text.startsWith(option),
  );
  if (isAttached === true) return 1;
  const isFlags = /^-[^-]+$/.test(word.text);
  return isFlags && [...word.text.slice(1)].every(letter => shape.flags.includes(letter)) ? 1 : 0;
}

const findTestsWithValue =
  /^-(name|iname|path|ipath|wholename|regex|iregex|type|maxdepth|mindepth|size|mtime|mmin|atime|ctime|perm|user|group|links|printf)$/;
const findTestsAlone =
  /^(-(print|print0|prune|empty|not|and|or|o|a|depth|mount|xdev|readable|writable|executable|ls)|!|\(|\)|,)$/;

function findWork(words: readonly CommandWord[]): HarmlessWork | undefined {
  if (!words.every(word => word.isLiteral)) return undefined;
  const firstTest = words.findIndex(word => /^[-!(),]/.test(word.text));
  const starts = firstTest < 0 ? words : words.slice(0, firstTest);
  const tests = firstTest < 0 ? [] : words.slice(firstTest);
  for (let index = 0; index < tests.length; index++) {
    const text = tests[index]?.text ?? '';
    if (findTestsWithValue.test(text)) index++;
    else if (!findTestsAlone.test(text)) return undefined;
  }
  return { kind: 'reads', files: starts };
}
