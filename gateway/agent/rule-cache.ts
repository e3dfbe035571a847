import { type CompiledRules, compileRules } from '#gateway/permissions/rules/compile-rules.ts';
import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';

/** Compiled rules of the sessions that decided last, so that a call does not wait for a thousand rules to be read. */
export type RuleCache = (sessionId: string, rules: readonly PermissionRule[]) => CompiledRules;

/** Sessions whose rules are kept compiled; those of others are compiled again. */
const MOST_SESSIONS = 200;

/** Makes an empty cache. A list that differs in any rule from the last one of its session is compiled anew. */
export function createRuleCache(): RuleCache {
  const sessions = new Map<string, { rules: readonly PermissionRule[]; compiled: CompiledRules }>();
  return (sessionId, rules) => {
    const known = sessions.get(sessionId);
    const isSame =
      known?.rules.length === rules.length &&
      known.rules.every((rule, index) => areEqual(rule, rules[index]));
    const kept = known !== undefined && isSame ? known : { rules, compiled: compileRules(rules) };
    sessions.delete(sessionId);
    sessions.set(sessionId, kept);
    const oldest = sessions.keys().next().value;
    if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    return kept.compiled;
  };
}

function areEqual(left: PermissionRule, right: PermissionRule | undefined): boolean {
  if (left === right) return true;
  return (
    left.ruleId === right?.ruleId &&
    left.tool === right.tool &&
    left.content === right.content &&
    left.behavior === right.behavior &&
    left.source === right.source &&
    left.createdBy === right.createdBy
  );
}
