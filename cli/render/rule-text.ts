import { type PermissionRule, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { nameOf, words } from './enum-words.ts';
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

/** What a rule or decision does with a call, in one word. */
export function behaviorText(behavior: PermissionBehavior): string {
  return behavior === PermissionBehavior.UNSPECIFIED
    ? 'no opinion'
    : words(nameOf(PermissionBehavior, behavior));
}

/** How it looks. */
export function behaviorLook(behavior: PermissionBehavior): 'green' | 'yellow' | 'red' | 'dim' {
  switch (behavior) {
    case PermissionBehavior.ALLOW:
      return 'green';
    case PermissionBehavior.ASK:
      return 'yellow';
    case PermissionBehavior.DENY:
      return 'red';
    default:
      return 'dim';
  }
}
