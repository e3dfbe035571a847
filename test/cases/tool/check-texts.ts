import { z } from 'zod';

const textsSchema = z.array(z.string());

/** Checks of a text; those that may differ in case are the ones whose wording is not the case's own. */
const CHECKS: ReadonlyMap<string, (text: string, wanted: readonly string[]) => boolean> = new Map([
  ['contains', (text, wanted) => wanted.every(piece => text.includes(piece))],
  ['contains_any', (text, wanted) => wanted.some(piece => text.toLowerCase().includes(piece.toLowerCase()))],
  ['not_contains', (text, wanted) => !wanted.some(piece => text.toLowerCase().includes(piece.toLowerCase()))],
]);

/** True for the keys that textProblem knows. */
export function isTextCheck(check: string): boolean {
  return CHECKS.has(check);
}

/** What is wrong with a text; undefined when it holds. `quote` makes the wanted pieces look as in the text. */
export function textProblem(
  check: string,
  text: string,
  wanted: unknown,
  quote: (piece: string) => string = piece => piece,
): string | undefined {
  const pieces = textsSchema.parse(wanted);
  if (CHECKS.get(check)?.(text, pieces.map(quote)) === true) return undefined;
  const shown = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  return `${check} ${JSON.stringify(pieces)} does not hold for ${JSON.stringify(shown)}`;
}

/** The piece as it stands inside JSON. */
export function quotedInJson(piece: string): string {
  return JSON.stringify(piece).slice(1, -1);
}

/** True when the value has all that the wanted one has, and lists of the same length. */
export function hasAll(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(wanted) && (!Array.isArray(value) || value.length !== wanted.length)) return false;
  const have = new Map(Object.entries(value));
  return Object.entries(wanted).every(([key, part]) => have.has(key) && hasAll(have.get(key), part));
}
