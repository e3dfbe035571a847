import type { ToolRule } from './tool-rule.ts';

/** Rules by something that whatever they match must have, so that a call is held against few of them. */
export interface RuleIndex {
  /** The rules that may match something with these keys, in their order. */
  candidates(keys: readonly string[]): readonly ToolRule[];
}

/** Builds an index; a rule without a key is a candidate for everything. */
export function createRuleIndex(
  rules: readonly ToolRule[],
  keyOf: (rule: ToolRule) => string | undefined,
): RuleIndex {
  const byKey = new Map<string, ToolRule[]>();
  const unkeyed: ToolRule[] = [];
  for (const rule of rules) {
    const key = keyOf(rule);
    if (key === undefined) unkeyed.push(rule);
    else addTo(byKey, key, rule);
  }
  return {
    candidates: keys => {
      let found: readonly ToolRule[] = unkeyed;
      for (const key of keys) {
        const keyed = byKey.get(key);
        if (keyed !== undefined) found = found.length === 0 ? keyed : [...found, ...keyed];
      }
      return found === unkeyed ? unkeyed : inOrder(found);
    },
  };
}

function addTo(byKey: Map<string, ToolRule[]>, key: string, rule: ToolRule): void {
  const others = byKey.get(key);
  if (others === undefined) byKey.set(key, [rule]);
  else others.push(rule);
}

/** The rules once each, in their order. */
export function inOrder(rules: readonly ToolRule[]): readonly ToolRule[] {
  return rules.length < 2 ? rules : [...new Set(rules)].sort((left, right) => left.order - right.order);
}
