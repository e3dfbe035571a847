import type { Carrier } from './carriers.ts';
import type { CommandWord } from './command-word.ts';

/** What the words of a carrier hold. */
export interface CarriedWords {
  /** The carried command's words; empty when there are none. */
  readonly words: readonly CommandWord[];
  /** Words that are scripts of their own. */
  readonly scripts: readonly CommandWord[];
  /** True when the carried command runs as it would alone. */
  readonly isTransparent: boolean;
  /** False when an option is unknown, so that the command may start at another word. */
  readonly isSure: boolean;
}

interface CarrierOption {
  readonly name: string;
  readonly takesNext: boolean;
  readonly isKnown: boolean;
  readonly script: CommandWord | undefined;
}

/** Finds the command among the words of a carrier; `words` starts with the carrier's own name. */
export function readCarrierWords(carrier: Carrier, words: readonly CommandWord[]): CarriedWords {
  const { options, next } = readOptions(carrier, words);
  const laterScript = scriptAfter(carrier, words.slice(next));
  const first = words[next];
  const mayHoldOptions = first?.isLiteral === false && first.text === '';
  const rest = words.slice(next + carrier.operands);
  const start = carrier.takesAssignments ? rest.findIndex(word => !/^\w+=/.test(word.text)) : 0;
  return {
    words: start < 0 ? [] : rest.slice(start),
    scripts: [...options.map(({ script }) => script), laterScript].filter(script => script !== undefined),
    isTransparent: isTransparent(carrier, options),
    isSure: !mayHoldOptions && options.every(({ isKnown }) => isKnown),
  };
}

function isTransparent(carrier: Carrier, options: readonly CarrierOption[]): boolean {
  const harmless = carrier.transparentOptions;
  return harmless !== undefined && options.every(({ name }) => harmless.includes(name));
}

// Some carriers take their script after an operand, as in "flock FILE -c SCRIPT".
function scriptAfter(carrier: Carrier, words: readonly CommandWord[]): CommandWord | undefined {
  const index = words.findIndex(word => carrier.scriptOptions?.includes(word.text));
  return index < 0 ? undefined : words[index + 1];
}

function readOptions(
  carrier: Carrier,
  words: readonly CommandWord[],
): { options: CarrierOption[]; next: number } {
  const options: CarrierOption[] = [];
  let next = 1;
  for (let word = words[next]; word !== undefined && /^-./.test(word.text); word = words[next]) {
    next++;
    if (word.text === '--') break;
    const option = readOption(carrier, word, words[next]);
    options.push(option);
    if (option.takesNext) next++;
  }
  return { options, next };
}

function readOption(carrier: Carrier, word: CommandWord, next: CommandWord | undefined): CarrierOption {
  const { name, attached } = splitOption(word.text);
  const takesScript = carrier.scriptOptions?.includes(name) === true;
  const takesValue = takesScript || carrier.valueOptions.includes(name);
  const value = attached === undefined ? next : { text: attached, isLiteral: word.isLiteral };
  return {
    name: attached === undefined || takesValue ? name : word.text,
    takesNext: takesValue && attached === undefined,
    // An unknown short option may take a value, but hardly any does; a bundle or a long one may.
    isKnown: word.isLiteral && (takesValue || isFlag(carrier, word.text)),
    script: takesScript ? value : undefined,
  };
}

function isFlag(carrier: Carrier, text: string): boolean {
  return (
    /^-[a-zA-Z0-9]$/.test(text) ||
    /^--[\w-]+=/.test(text) ||
    carrier.transparentOptions?.includes(text) === true
  );
}

function splitOption(text: string): { name: string; attached: string | undefined } {
  if (!text.startsWith('--')) {
    return { name: text.slice(0, 2), attached: text.length > 2 ? text.slice(2) : undefined };
  }
  const equals = text.indexOf('=');
  return equals < 0
    ? { name: text, attached: undefined }
    : { name: text.slice(0, equals), attached: text.slice(equals + 1) };
}
