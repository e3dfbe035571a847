import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { PermissionBehavior, ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { namesTool } from './tool-name.ts';
import { prepareRule } from './tool-rule.ts';
import { createToolRules, type ToolRules } from './tool-rules.ts';

/** A rule list made ready once for many decisions. */
export interface CompiledRules {
  /** The rules of one behaviour that may judge calls of a tool. */
  for(tool: ToolSpec, behavior: PermissionBehavior): ToolRules;
}

/** Compiles a rule list. What a tool needs of it is prepared when the first call of that tool comes. */
export function compileRules(rules: readonly PermissionRule[]): CompiledRules {
  const ordered = [...rules].sort(compareRules);
  const byTool = new WeakMap<ToolSpec, Map<PermissionBehavior, ToolRules>>();
  return {
    for: (tool, behavior) => {
      const known = byTool.get(tool) ?? new Map<PermissionBehavior, ToolRules>();
      byTool.set(tool, known);
      const found = known.get(behavior) ?? rulesForTool(ordered, tool, behavior);
      known.set(behavior, found);
      return found;
    },
  };
}

function rulesForTool(
  ordered: readonly PermissionRule[],
  tool: ToolSpec,
  behavior: PermissionBehavior,
): ToolRules {
  const rules = ordered.filter(rule => rule.behavior === behavior);
  const whole = rules.find(rule => rule.content === '' && namesTool(rule.tool, behavior, tool));
  const withContent = rules
    .map((rule, order) => prepareRule(rule, order, tool))
    .filter(({ rule }) => rule.content !== '')
    .filter(({ isOwn, judgesReads, judgesWrites }) => isOwn || judgesReads || judgesWrites);
  return createToolRules(tool, whole, withContent);
}

// An order that does not depend on the order they were given in.
function compareRules(left: PermissionRule, right: PermissionRule): number {
  return (
    left.source - right.source ||
    compare(left.tool, right.tool) ||
    compare(left.content, right.content) ||
    compare(left.ruleId, right.ruleId)
  );
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
