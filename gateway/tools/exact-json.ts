/** What V8 hands a reviver besides key and value; TypeScript's library does not know it yet. */
interface SourceOf {
  readonly source?: string;
}

const json = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: SourceOf) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/**
 * Parses JSON so that stringifying it again writes each number as it was written: a 64-bit integer does not survive
 * being a double. For writing only; what was parsed must not be calculated with.
 */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? json.rawJSON(source)
      : value,
  );
}
