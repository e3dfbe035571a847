import { endingOf } from './resolved-path.ts';

/**
 * A key that each path a pattern matches has among its `keys`: a segment that the pattern spells out, or the ending of
 * one. Undefined when the pattern promises nothing of that kind.
 */
export function segmentKeyOf(content: string): string | undefined {
  // Escapes and negation change what segments mean.
  if (/[\\!#]/.test(content)) return undefined;
  const segments = content.toLowerCase().split('/');
  const literal = segments.filter(segment => /^[\w.@+-]+$/.test(segment) && segment !== '.');
  const longest = literal.sort((left, right) => right.length - left.length)[0];
  const ending = segments.find(segment => /^\*[\w.@+-]*\.[\w@+-]+$/.test(segment));
  return longest ?? (ending === undefined ? undefined : endingOf(ending));
}
