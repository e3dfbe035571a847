import { wideForms } from './command-matching.ts';
import { type CommandPattern, wordSeparator } from './command-patterns.ts';
import type { SimpleCommand } from './simple-command.ts';

// Words of a pattern that are told apart; hardly any rule spells out more.
const mostWords = 6;

/** The words that every command this pattern matches begins with, as one key; undefined when it may be any. */
export function wordKeyOf(pattern: CommandPattern): string | undefined {
  const words = leadingWords(pattern).slice(0, mostWords);
  return words.length === 0 ? undefined : words.join(wordSeparator);
}

/** The first word that every command this pattern matches has; undefined when it may be any. */
export function programKeyOf(pattern: CommandPattern): string | undefined {
  return leadingWords(pattern)[0];
}

/**
 * The keys that a pattern may have for it to match the command, however that is written; undefined when a word that
 * decides depends on run time.
 */
export function wordKeysOf(command: SimpleCommand): string[] | undefined {
  const keys: string[] = [];
  for (const words of wideForms(command.words)) {
    let key = '';
    for (const [index, word] of words.slice(0, mostWords).entries()) {
      if (!word.isLiteral) return undefined;
      key = index === 0 ? word.text : `${key}${wordSeparator}${word.text}`;
      keys.push(key);
    }
  }
  return keys;
}

/** What the first word of a pattern may be; undefined when the command's own is not known. */
export function programKeysOf(command: SimpleCommand): string[] | undefined {
  const [program] = command.words;
  if (program?.isLiteral !== true) return undefined;
  return wideForms([program]).flatMap(([word]) => word?.text ?? []);
}

function leadingWords(pattern: CommandPattern): readonly string[] {
  switch (pattern.kind) {
    case 'exact':
      return pattern.words ?? [];
    case 'prefix':
      return pattern.words;
    default:
      return pattern.leading;
  }
}
