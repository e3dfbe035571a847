import { type PermissionRule, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { escapeForDecision } from './escape-untrusted.ts';

/** A rule as people write it: `Bash(git status:*)`. */
export function ruleText(rule: PermissionRule): string {
  const content = rule.content === '' ? '' : `(${rule.content})`;
  return escapeForDecision(`${rule.tool}${content}`).replaceAll('\n', '\\u{a}');
}

/** Where a rule comes from, in one word. */
export function ruleSourceText(source: RuleSource): string {
  switch (source) {
    case RuleSource.POLICY:
      return 'policy';
    case RuleSource.USER:
      return 'user';
    case RuleSource.AGENT:
      return 'agent';
    case RuleSource.SESSION:
      return 'session';
    default:
      return 'unknown';
  }
}
