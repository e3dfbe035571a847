import { matchesGlob, parseGlob, type TextGlob } from '../rules/text-glob.ts';
import { plainWords } from './tree-reading.ts';

/** Separates words in the text that globs are matched against, so that blanks inside a word do not. */
export const wordSeparator = '\0';

/** The content of a rule for scripts. */
export type CommandPattern =
  | { readonly kind: 'exact'; readonly script: string; readonly words: readonly string[] | undefined }
  | { readonly kind: 'prefix'; readonly words: readonly string[] }
  | {
      readonly kind: 'glob';
      /** The first words, as far as they hold no wildcard. */
      readonly leading: readonly string[];
      readonly narrow: readonly TextGlob[];
      readonly wide: readonly TextGlob[];
    };

/** Reads a rule's content: "prefix:*", a glob with "*", or an exact command. */
export function parseCommandPattern(content: string): CommandPattern {
  if (content.length > 2 && content.endsWith(':*')) {
    const prefix = content.slice(0, -2);
    if (!hasWildcard(prefix)) return { kind: 'prefix', words: wordsOf(prefix) ?? blankSeparated(prefix) };
  }
  if (!hasWildcard(content)) {
    const script = content.replaceAll('\\*', '*').trim();
    return { kind: 'exact', script, words: wordsOf(script) };
  }
  return globPattern(blankSeparated(content));
}

/** True when any of the globs describes the words. */
export function matchesAnyGlob(globs: readonly TextGlob[], text: string): boolean {
  return globs.some(glob => matchesGlob(glob, text));
}

function globPattern(words: readonly string[]): CommandPattern {
  const text = words.join(wordSeparator);
  const globs = words.map(parseGlob);
  const firstWild = globs.findIndex(glob => glob.length > 1);
  const starWord = `${wordSeparator}*`;
  const narrow = [text];
  // "ls *" also means the bare "ls", but only where that is the only wildcard.
  if (text.endsWith(starWord) && parseGlob(text).length === 2) narrow.push(text.slice(0, -starWord.length));
  // Read widely, a "*" that stands alone may also stand for no word at all.
  const open = text.replaceAll(`${starWord}${wordSeparator}`, starWord);
  const wide = open.endsWith(starWord) ? [open, open.slice(0, -starWord.length)] : [open];
  return {
    kind: 'glob',
    leading: globs.slice(0, Math.max(0, firstWild)).flatMap(([text]) => text ?? []),
    narrow: narrow.map(parseGlob),
    wide: [...narrow, ...wide].map(parseGlob),
  };
}

function hasWildcard(text: string): boolean {
  return parseGlob(text).length > 1;
}

function blankSeparated(text: string): string[] {
  return text.split(/\s+/).filter(word => word !== '');
}

// The words as Bash would read them; undefined when the text is not one plain command.
function wordsOf(text: string): string[] | undefined {
  return /^[\w\s./:@,+%-]*$/.test(text) ? blankSeparated(text) : plainWords(text);
}
