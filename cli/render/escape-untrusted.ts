/**
 * Whatever a reader cannot see, or what moves other characters about: control characters, format characters (bidi
 * marks, zero-width ones, tags), default-ignorable ones (variation selectors, Hangul fillers), private use, lone
 * surrogates, line separators, and every space but the plain one.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{DI}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** In running text these two only join or colour letters and emoji, and some scripts need them. */
const HARMLESS_IN_TEXT = new Set(['\u200c', '\u200d', '\ufe0f']);

/**
 * Text for a person who decides by it: each character that cannot be seen, a tab too, is written as `\u{hex}`. Lines
 * stay lines.
 */
export function escapeForDecision(text: string): string {
  return text.replace(UNSEEN, character => (character === '\n' ? character : visible(character)));
}

/**
 * Running text of a model or tool for a terminal: nothing in it can move the cursor, colour anything or change the
 * order of letters, but tabs, lines and joined letters stay as they are. A carriage return before a line feed is
 * dropped.
 */
export function escapeForTerminal(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSEEN, character => {
    if (character === '\n' || character === '\t' || HARMLESS_IN_TEXT.has(character)) return character;
    return /\p{Zs}/u.test(character) ? ' ' : visible(character);
  });
}

/** Like `escapeForTerminal`, on one line. */
export function escapeToOneLine(text: string): string {
  return escapeForTerminal(text).replace(/[\n\t]/g, visible);
}

/** The same JSON in one line of visible characters, for a person to edit. */
export function escapeInJson(json: string): string {
  return json.replace(/\s*\n\s*/g, ' ').replace(UNSEEN, character =>
    Array.from({ length: character.length }, (_, index) => {
      const hex = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${hex}`;
    }).join(''),
  );
}

function visible(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
