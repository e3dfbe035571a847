/** A pattern of literal texts with a wildcard for any text between each two of them. */
export type TextGlob = readonly string[];

/** Reads a glob in which "*" stands for any text and "\*" for an asterisk. */
export function parseGlob(pattern: string): TextGlob {
  const pieces: string[] = [''];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index];
    if (character === '*') {
      pieces.push('');
      continue;
    }
    if (character === '\\' && pattern[index + 1] === '*') index++;
    pieces.push(`${pieces.pop() ?? ''}${pattern[index] ?? ''}`);
  }
  return pieces;
}

/** True when the glob describes the whole text. Takes time linear in the text for each piece. */
export function matchesGlob(glob: TextGlob, text: string): boolean {
  const first = glob[0] ?? '';
  if (glob.length === 1) return text === first;
  const last = glob.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let position = first.length;
  for (const piece of glob.slice(1, -1)) {
    const found = text.indexOf(piece, position);
    if (found < 0) return false;
    position = found + piece.length;
  }
  return position <= text.length - last.length;
}

/** A text written so that `parseGlob` reads it as itself. */
export function escapeGlob(text: string): string {
  return text.replaceAll('*', '\\*');
}
