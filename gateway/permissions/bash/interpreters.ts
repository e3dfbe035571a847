import type { CommandWord } from './command-word.ts';

interface Interpreter {
  /** Options whose value is code. */
  readonly code: RegExp;
  /** Options that take the next word as their value. */
  readonly valued: RegExp;
}

// From the manual pages of the programs.
const interpreters: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(python|pypy)[\d.]*$/, { code: /^-[a-zA-Z]*c/, valued: /^-[WXQ]$/ }],
  [/^perl[\d.]*$/, { code: /^-[a-zA-Z0]*[eE]/, valued: /^$/ }],
  [/^ruby[\d.]*$/, { code: /^-[a-zA-Z]*e/, valued: /^-[IrC]$/ }],
  [
    /^(node|nodejs|bun|deno)$/,
    {
      code: /^(-[a-zA-Z]*[ep]|--eval|--print|eval|repl)(=|$)/,
      valued: /^(-r|-C|--require|--import|--loader)$/,
    },
  ],
  [/^php[\d.]*$/, { code: /^-[rRBE]|^--(run|process-code)/, valued: /^-[cdz]$/ }],
  [/^(lua|luajit)[\d.]*$/, { code: /^-e/, valued: /^-l$/ }],
  [/^Rscript$/, { code: /^-e/, valued: /^$/ }],
];

/**
 * Why an interpreter runs code that no rule can judge: it is in an argument, or comes from the input. A script file is
 * what the rule that names it allows.
 */
export function opaqueCodeOf(name: string, words: readonly CommandWord[]): string | undefined {
  const interpreter = interpreters.find(([names]) => names.test(name))?.[1];
  if (interpreter === undefined) return undefined;
  const options = optionsOf(words, interpreter);
  if (options.some(({ text }) => isCode(text, interpreter))) return 'it runs code that no rule can judge';
  if (options.some(word => !word.isLiteral)) return 'it may run code that no rule can judge';
  const namesFile = options.length < words.length && !options.includes(words.at(-1) ?? unknownWord);
  const isMore = options.some(({ text }) => text.length > 2 || /^-[vVhm]$/.test(text));
  return namesFile || isMore ? undefined : 'it runs code from its input';
}

const unknownWord: CommandWord = { text: '', isLiteral: false };

function isCode(text: string, interpreter: Interpreter): boolean {
  return interpreter.code.test(text) || text === '-' || text.startsWith('/dev/');
}

// The words before the script file, without values; what may be code counts as one of them.
function optionsOf(words: readonly CommandWord[], interpreter: Interpreter): CommandWord[] {
  const options: CommandWord[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? unknownWord;
    const mayBeOption = word.text.startsWith('-') || (!word.isLiteral && word.text === '');
    if (!mayBeOption && !isCode(word.text, interpreter)) break;
    options.push(word);
    if (interpreter.valued.test(word.text)) index++;
  }
  return options;
}
