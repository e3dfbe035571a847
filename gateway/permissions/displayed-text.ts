const longestDisplayed = 300;

// Control and format characters, line and paragraph separators, private use: whatever can move, hide or reorder text.
const deceptive = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u115f\u1160\u3164\uffa0]/u;
const deceptiveEach = new RegExp(deceptive.source, 'gu');

const plain = /^[\x20-\x7e]*$/;

/** True when a text holds characters that a person would not see as they are. */
export function isDeceptive(text: string): boolean {
  return !plain.test(text) && deceptive.test(text);
}

/** A text of the call as reasons may quote it: deceptive characters escaped, the middle of long texts left out. */
export function displayedText(text: string): string {
  const escaped = plain.test(text) ? text : text.replaceAll(deceptiveEach, escapeCharacter);
  if (escaped.length <= longestDisplayed) return escaped;
  const half = longestDisplayed / 2;
  return `${escaped.slice(0, half)}… (${escaped.length - longestDisplayed} characters) …${escaped.slice(-half)}`;
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
