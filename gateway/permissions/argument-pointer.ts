/** The value a JSON Pointer (RFC 6901) names, or undefined where the arguments have none. */
export function readArgument(input: Readonly<Record<string, unknown>>, pointer: string): unknown {
  if (pointer === '') return input;
  if (!pointer.startsWith('/')) return undefined;
  let value: unknown = input;
  for (const token of pointer.slice(1).split('/')) {
    value = readMember(value, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value;
}

/** The strings at a JSON Pointer: the value itself, or the members of an array of strings. */
export function readArgumentStrings(input: Readonly<Record<string, unknown>>, pointer: string): string[] {
  const value = readArgument(input, pointer);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter(item => typeof item === 'string');
}

function readMember(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
