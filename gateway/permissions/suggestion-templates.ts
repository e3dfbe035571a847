import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { readArgumentStrings, readScalar } from './argument-pointer.ts';
import { PATH_KINDS } from './call-paths.ts';
import { isDeceptive } from './displayed-text.ts';
import { escapePath } from './files/path-patterns.ts';
import { escapeGlob } from './rules/text-glob.ts';

const hole = /\{(\/[^{}]*)\}/g;

/**
 * Rule contents that a tool offers for its calls, with the arguments of this call in their holes. A template without a
 * hole is left out: it would promise the same for every call, which no tool may ask for by itself.
 */
export function filledTemplates(tool: ToolSpec, input: Readonly<Record<string, unknown>>): string[] {
  return (tool.permission?.suggestions ?? []).flatMap(({ content }) => {
    const values = [...content.matchAll(hole)].map(([, pointer = '']) => valueFor(pointer, tool, input));
    if (values.length === 0 || values.includes(undefined)) return [];
    let next = 0;
    const filled = content.replaceAll(hole, () => values[next++] ?? '');
    return isDeceptive(filled) ? [] : [filled];
  });
}

function valueFor(
  pointer: string,
  tool: ToolSpec,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  const kind = tool.permission?.matchFields.find(field => field.pointer === pointer)?.kind;
  if (kind !== undefined && PATH_KINDS.has(kind)) {
    const paths = readArgumentStrings(input, pointer);
    return paths?.length === 1 && paths[0] !== undefined ? escapePath(paths[0]) : undefined;
  }
  const value = readScalar(input, pointer);
  return value === undefined || value === '' ? undefined : escapeGlob(value);
}
