/** The value a JSON Pointer (RFC 6901) names, or undefined where the arguments have none. */
function readArgument(input: Readonly<Record<string, unknown>>, pointer: string): unknown {
  if (pointer === '') return input;
  if (!pointer.startsWith('/')) return undefined;
  if (!/[/~]/.test(pointer.slice(1))) return readMember(input, pointer.slice(1));
  let value: unknown = input;
  for (const token of pointer.slice(1).split('/')) {
    value = readMember(value, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value;
}

/**
 * The strings at a JSON Pointer: the value itself, or the members of an array; none where there is no value, and
 * undefined where anything else than a string is among them.
 */
export function readArgumentStrings(
  input: Readonly<Record<string, unknown>>,
  pointer: string,
): string[] | undefined {
  const value = readArgument(input, pointer);
  if (typeof value === 'string') return [value];
  if (value === undefined || value === null) return [];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const strings = values.filter(item => typeof item === 'string');
  return strings.length === values.length ? strings : undefined;
}

/** The text, number or truth value at a JSON Pointer as text; undefined where there is anything else. */
export function readScalar(input: Readonly<Record<string, unknown>>, pointer: string): string | undefined {
  const value = readArgument(input, pointer);
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

function readMember(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
