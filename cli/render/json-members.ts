/** One member of a JSON object, with its value as it was written. */
export interface JsonMember {
  readonly key: string;
  readonly valueText: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gsu;

/**
 * The members of a JSON object in the order they were written, values untouched. `JSON.parse` would hide a repeated key
 * and round a large number, and whoever approves a call must see what is really in it. Undefined when the text is no
 * JSON object.
 */
export function jsonMembers(text: string): JsonMember[] | undefined {
  if (!isJsonObject(text)) return undefined;
  const tokens = text.match(TOKEN) ?? [];
  const members: JsonMember[] = [];
  let position = 1;
  while (position < tokens.length - 1) {
    const key = String(JSON.parse(tokens[position] ?? '""'));
    const end = endOfValue(tokens, position + 2);
    members.push({ key, valueText: tokens.slice(position + 2, end).join('') });
    position = end + 1;
  }
  return members;
}

function endOfValue(tokens: readonly string[], start: number): number {
  let depth = 0;
  for (let index = start; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    if (depth === 0 && (token === ',' || token === '}')) return index;
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
  }
  return tokens.length;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
