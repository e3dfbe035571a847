import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior, type ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { parseArgumentPattern } from './argument-patterns.ts';

/** What is wrong with a content in view of the arguments of its tools; an error keeps the rule from being stored. */
export interface ArgumentProblem {
  readonly text: string;
  readonly isError: boolean;
}

/** Checks a content that is about one argument, or that has to be because its tools have no match fields. */
export function argumentProblem(
  rule: PermissionRule,
  tools: readonly ToolSpec[],
): ArgumentProblem | undefined {
  if (rule.content === '' || tools.length === 0) return undefined;
  const found = tools.map(tool => problemWith(rule, tool));
  return found.includes(undefined) ? undefined : found[0];
}

function problemWith(rule: PermissionRule, tool: ToolSpec): ArgumentProblem | undefined {
  const hasMatchFields = (tool.permission?.matchFields.length ?? 0) > 0;
  const pattern = parseArgumentPattern(rule.content, hasMatchFields);
  const isDeny = rule.behavior === PermissionBehavior.DENY;
  if (pattern === undefined) {
    if (hasMatchFields) return undefined;
    const text = `"${rule.content}" names no argument of ${tool.name}, so the rule never matches: write NAME:VALUE.`;
    return { text, isError: isDeny };
  }
  if (hasMatchFields && rule.behavior === PermissionBehavior.ALLOW) {
    const text = `A rule about one argument of ${tool.name} can only deny or ask; allow it by what it opens or runs.`;
    return { text, isError: true };
  }
  const [name = ''] = pattern.path;
  const { names, isClosed } = argumentsOf(tool);
  if (names.length === 0 || names.includes(name)) return undefined;
  const text = `${tool.name} has no argument "${name}", so the rule never matches. It has: ${names.join(', ')}.`;
  return { text, isError: isDeny && isClosed };
}

function argumentsOf({ inputSchemaJson }: ToolSpec): { names: string[]; isClosed: boolean } {
  try {
    const schema: unknown = JSON.parse(inputSchemaJson);
    if (typeof schema === 'object' && schema !== null) {
      const properties: unknown = Reflect.get(schema, 'properties');
      const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
      return { names, isClosed: Reflect.get(schema, 'additionalProperties') === false };
    }
  } catch {
    // A schema that is none says nothing about arguments.
  }
  return { names: [], isClosed: false };
}
