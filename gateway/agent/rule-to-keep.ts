import { create } from '@bufbuild/protobuf';
import { checkRule } from '#gateway/permissions/rules/check-rule.ts';
import type { CallRecord } from '#gateway/store/store.ts';
import {
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { Answering } from './answering.ts';
import { offeredTools } from './session-tools.ts';

/** The rule that a person wants remembered with their answer; it must allow, and name the tool of the call. */
export function ruleToKeep(
  { services, session, approver }: Answering,
  call: CallRecord,
  wanted: PermissionRule,
): { readonly rule: PermissionRule } | { readonly problem: string } {
  if (wanted.behavior !== PermissionBehavior.ALLOW || wanted.tool !== call.toolName) {
    return { problem: `a rule remembered here must allow ${call.toolName}` };
  }
  if (wanted.source === RuleSource.POLICY || wanted.source === RuleSource.AGENT) {
    return {
      problem: 'a rule can be remembered for the session or for the user, not for the operator or agent',
    };
  }
  const source = wanted.source === RuleSource.USER ? RuleSource.USER : RuleSource.SESSION;
  const rule = create(PermissionRuleSchema, {
    ...wanted,
    ruleId: services.newId('rule'),
    source,
    sessionId: source === RuleSource.SESSION ? session.sessionId : '',
    createdBy: approver,
  });
  const { errors } = checkRule(
    rule,
    offeredTools(services).map(tool => tool.spec),
  );
  if (errors.length > 0) return { problem: errors.join('; ') };
  return { rule };
}
