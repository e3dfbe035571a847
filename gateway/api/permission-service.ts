import { clone, create } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { judgeCall } from '#gateway/agent/judge-call.ts';
import { sessionRules } from '#gateway/agent/session-rules.ts';
import { offeredTools, sessionTools } from '#gateway/agent/session-tools.ts';
import { checkRule } from '#gateway/permissions/rules/check-rule.ts';
import {
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { PermissionService } from '#gen/toolgate/gateway/v1/permission_service_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { ApiContext } from './api-context.ts';
import { type Caller, requireScope } from './caller.ts';
import { visibleSession } from './session-access.ts';

/** Rules and explanations, as `toolgate.gateway.v1.PermissionService` describes them. */
export function permissionService(api: ApiContext): ServiceImpl<typeof PermissionService> {
  const { services } = api;
  const { store } = services;
  return {
    listRules: async (request, context) => {
      const caller = requireScope(context, 'use', 'approve');
      if (request.sessionId === '') {
        return { rules: [...services.policyRules, ...(await store.rules(caller.principal, ''))] };
      }
      const { session } = await visibleSession(store, caller, request.sessionId);
      return { rules: await sessionRules(services, session) };
    },
    putRule: async (request, context) => {
      const wanted = request.rule ?? create(PermissionRuleSchema);
      const caller = callerForRule(context, wanted);
      const rule = await completeRule(api, caller, wanted);
      const { errors, warnings } = checkRule(
        rule,
        offeredTools(services).map(tool => tool.spec),
      );
      if (errors.length > 0) throw new ConnectError(errors.join('; '), Code.InvalidArgument);
      await store.putRule(rule, caller.principal);
      return { rule, warnings };
    },
    deleteRule: async (request, context) => {
      const caller = requireScope(context, 'approve');
      const rule = await store.rule(request.ruleId);
      if (rule !== undefined) await checkOwner(api, caller, rule);
      await store.deleteRule(request.ruleId);
      return {};
    },
    explain: async (request, context) => {
      const caller = requireScope(context, 'use', 'call', 'approve');
      const { session } = await visibleSession(store, caller, request.sessionId);
      const { toolName, argumentsJson: argumentsText } = request;
      const tools = sessionTools(services, session);
      const judgement = await judgeCall(
        services,
        session,
        tools,
        { toolName, argumentsText },
        context.signal,
      );
      if (judgement.kind === 'refused') throw new ConnectError(judgement.text, Code.InvalidArgument);
      return { decision: judgement.decision };
    },
  };
}

/** A rule that only makes an own session stricter needs no right to approve. */
function callerForRule(context: Parameters<typeof requireScope>[0], rule: PermissionRule): Caller {
  const isStricter =
    rule.source === RuleSource.SESSION &&
    rule.ruleId === '' &&
    (rule.behavior === PermissionBehavior.DENY || rule.behavior === PermissionBehavior.ASK);
  return isStricter ? requireScope(context, 'use', 'approve') : requireScope(context, 'approve');
}

async function completeRule(
  api: ApiContext,
  caller: Caller,
  wanted: PermissionRule,
): Promise<PermissionRule> {
  if (wanted.source !== RuleSource.USER && wanted.source !== RuleSource.SESSION) {
    throw new ConnectError('a rule can be kept for the user or for a session', Code.InvalidArgument);
  }
  if (wanted.behavior === PermissionBehavior.UNSPECIFIED) {
    throw new ConnectError('behavior is not set: allow, ask or deny', Code.InvalidArgument);
  }
  const rule = clone(PermissionRuleSchema, wanted);
  if (rule.source === RuleSource.SESSION) await visibleSession(api.services.store, caller, rule.sessionId);
  else rule.sessionId = '';
  if (rule.ruleId === '') rule.ruleId = api.services.newId('rule');
  else await checkKnown(api, caller, rule.ruleId);
  rule.createdBy = caller.principal;
  return rule;
}

async function checkKnown(api: ApiContext, caller: Caller, ruleId: string): Promise<void> {
  const known = await api.services.store.rule(ruleId);
  if (known === undefined) throw new ConnectError(`there is no rule ${ruleId}`, Code.NotFound);
  await checkOwner(api, caller, known);
}

async function checkOwner(api: ApiContext, caller: Caller, rule: PermissionRule): Promise<void> {
  if (rule.source === RuleSource.SESSION) {
    await visibleSession(api.services.store, caller, rule.sessionId);
    return;
  }
  const own = await api.services.store.rules(caller.principal, '');
  if (!own.some(candidate => candidate.ruleId === rule.ruleId)) {
    throw new ConnectError(`there is no rule ${rule.ruleId}`, Code.NotFound);
  }
}
