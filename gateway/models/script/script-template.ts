const HOLE = /\{\{\s*([a-z][a-z0-9_]*)\s*\}\}/g;

/** Plain data as YAML and JSON know it. */
export type ScriptValue = string | number | boolean | null | ScriptValue[] | { [key: string]: ScriptValue };

/** The names of all holes such as `{{user}}` in texts, however deep they lie. */
export function templateNames(value: ScriptValue | undefined | (ScriptValue | undefined)[]): string[] {
  if (typeof value === 'string') {
    return [...value.matchAll(HOLE)].map(match => match[1] ?? '');
  }
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).flatMap(templateNames);
  }
  return [];
}

/** The same data with every hole filled; what is filled in is not looked at again. */
export function fillTemplate<T extends ScriptValue>(value: T, texts: ReadonlyMap<string, string>): T;
export function fillTemplate(value: ScriptValue, texts: ReadonlyMap<string, string>): ScriptValue {
  if (typeof value === 'string') {
    return value.replaceAll(HOLE, (hole, name: string) => texts.get(name) ?? hole);
  }
  if (Array.isArray(value)) {
    return value.map(item => fillTemplate(item, texts));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillTemplate(item, texts)]));
  }
  return value;
}
