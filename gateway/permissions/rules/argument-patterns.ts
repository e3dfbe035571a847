import type { RuleReading } from '../files/path-patterns.ts';
import { matchesGlob, parseGlob, type TextGlob } from './text-glob.ts';

/** The content of a rule about one argument: "customer_id:42", "address.city:B*" or, for any tool, "$.timeout:*". */
export interface ArgumentPattern {
  /** Member names from the root of the arguments. */
  readonly path: readonly string[];
  readonly value: TextGlob;
}

/** Reads such a content; undefined for any other. Without "$." it is one only for tools with no match fields. */
export function parseArgumentPattern(content: string, hasMatchFields: boolean): ArgumentPattern | undefined {
  const parsed = /^(\$\.)?([\w-]+(?:\.[\w-]+)*):(.*)$/s.exec(content);
  if (parsed === null || (hasMatchFields && parsed[1] === undefined)) return undefined;
  return { path: parsed[2]?.split('.') ?? [], value: parseGlob(parsed[3] ?? '') };
}

/** True when the argument has such a value; of a list, any item (wide) or all of them (narrow). */
export function matchesArgument(
  { path, value }: ArgumentPattern,
  input: Readonly<Record<string, unknown>>,
  reading: RuleReading,
): boolean {
  const found = valuesAt(input, path);
  const matches = (each: unknown) => isScalar(each) && matchesValue(value, each, reading);
  return reading === 'wide' ? found.some(matches) : found.length > 0 && found.every(matches);
}

// Lists on the way, and at its end, stand for their items.
function valuesAt(input: unknown, path: readonly string[]): unknown[] {
  let values: unknown[] = [input];
  for (const name of path) {
    values = values
      .flatMap(value => (Array.isArray(value) ? value : [value]))
      .map(value => memberOf(value, name));
  }
  return values
    .flatMap(value => (Array.isArray(value) ? value : [value]))
    .filter(value => value !== undefined);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

type Scalar = string | number | boolean | bigint | null;

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
}

function matchesValue(glob: TextGlob, value: Scalar, reading: RuleReading): boolean {
  // Of longer numbers the engine does not see every digit, but the tool does.
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
  if (matchesGlob(glob, String(value))) return isExact || reading === 'wide' || glob.length > 1;
  // One number has many spellings, and more digits than a double keeps.
  const text = glob.length === 1 ? glob[0]?.trim() : undefined;
  const isSame = typeof value === 'number' && text !== undefined && text !== '' && Number(text) === value;
  return isSame && (isExact || reading === 'wide');
}
