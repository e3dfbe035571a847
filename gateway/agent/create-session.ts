import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { isMoreLenient } from '#gateway/permissions/mode.ts';
import { checkRule } from '#gateway/permissions/rules/check-rule.ts';
import { unknownNames } from '#gateway/tools/visible-tools.ts';
import {
  PermissionMode,
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { type AgentDefinition, type Session, SessionSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { CreateSessionRequest } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { LoopServices } from './reply-context.ts';
import { offeredTools } from './session-tools.ts';

/** Why a session cannot be created: a wrong value, a right the caller lacks, or a feature that is not there yet. */
export class SessionRefusal extends Error {
  override readonly name = 'SessionRefusal';
  readonly reason: 'INVALID' | 'NOT_ALLOWED' | 'NOT_IMPLEMENTED';
  constructor(reason: SessionRefusal['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Who creates a session and with which right. */
export interface SessionCreator {
  readonly principal: string;
  /** Whether they may choose a mode or rules that are more lenient than the operator's agent. */
  readonly mayBeLenient: boolean;
}

/** Checks a request, stores the session and returns it. Throws SessionRefusal. */
export async function createSession(
  services: LoopServices,
  requested: AgentDefinition,
  request: CreateSessionRequest,
  creator: SessionCreator,
): Promise<Session> {
  const agent = request.agent.case === 'definition' ? withOwnRules(requested) : requested;
  refuseUnfinished(agent, request);
  const mode = checkedMode(request.mode || agent.permissionMode || PermissionMode.DEFAULT);
  const isOwnAgent = request.agent.case === 'definition';
  if (!creator.mayBeLenient) refuseLenience(agent, request, mode, isOwnAgent);
  const now = services.now();
  const session = create(SessionSchema, {
    sessionId: services.newId('ses'),
    user: creator.principal,
    agent,
    role: request.role,
    mode,
    labels: request.labels,
    attributesJson: checkedJson(request.attributesJson),
    createTime: timestampFromMs(now),
    ...(request.toolFilter === undefined ? {} : { toolFilter: request.toolFilter }),
  });
  checkFilters(services, session);
  const rules = request.rules.map(rule => sessionRule(services, session, rule, creator));
  checkRules(services, [...agent.rules, ...rules]);
  if (agent.model !== '') services.resolveModel(agent.model);
  await services.store.createSession(
    { sessionId: session.sessionId, user: creator.principal, createdAtMs: now, session },
    rules,
  );
  return session;
}

/** Rules that a client brings with its agent are the agent's, whatever they say of where they come from. */
function withOwnRules(agent: AgentDefinition): AgentDefinition {
  const rules = agent.rules.map(({ tool, content, behavior }) =>
    create(PermissionRuleSchema, { tool, content, behavior, source: RuleSource.AGENT }),
  );
  return { ...agent, rules };
}

function refuseUnfinished(agent: AgentDefinition, request: CreateSessionRequest): void {
  const unfinished = [
    ['sandbox', request.sandbox !== undefined || agent.sandbox !== undefined],
    ['client_tools', request.clientTools.length > 0],
    ['skills', agent.skills.length > 0],
    ['sub_agents', agent.subAgents.length > 0],
  ] as const;
  const asked = unfinished.filter(([, isSet]) => isSet).map(([name]) => name);
  if (asked.length > 0) {
    throw new SessionRefusal('NOT_IMPLEMENTED', `not implemented yet, leave unset: ${asked.join(', ')}`);
  }
}

function refuseLenience(
  agent: AgentDefinition,
  request: CreateSessionRequest,
  mode: PermissionMode,
  isOwnAgent: boolean,
): void {
  const base = isOwnAgent ? PermissionMode.DEFAULT : agent.permissionMode;
  if (isMoreLenient(mode, base)) {
    throw new SessionRefusal(
      'NOT_ALLOWED',
      'a more lenient mode than the agent has needs the scope "approve"',
    );
  }
  const chosen = isOwnAgent ? [...request.rules, ...agent.rules] : request.rules;
  if (chosen.some(rule => rule.behavior === PermissionBehavior.ALLOW)) {
    throw new SessionRefusal('NOT_ALLOWED', 'allow rules need the scope "approve"');
  }
}

/** The mode, if it is one that this version knows: protobuf lets any number through. */
export function checkedMode(mode: PermissionMode): PermissionMode {
  if (Object.values(PermissionMode).some(known => known === mode)) return mode;
  throw new SessionRefusal('INVALID', `there is no permission mode ${mode}`);
}

function checkedJson(text: string): string {
  if (text === '') return '';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {}
  throw new SessionRefusal('INVALID', 'attributes_json must be a JSON object');
}

function checkFilters(services: LoopServices, session: Session): void {
  const offered = offeredTools(services);
  const denied = [...(session.agent?.toolFilter?.deny ?? []), ...(session.toolFilter?.deny ?? [])];
  const unknown = unknownNames(offered, denied);
  if (unknown.length === 0) return;
  const known = offered.map(tool => tool.spec.name).sort();
  throw new SessionRefusal(
    'INVALID',
    `tool_filter.deny names ${unknown.join(', ')}, which no tool has, so it would hide nothing; known: ${known.join(', ')}`,
  );
}

function sessionRule(
  services: LoopServices,
  session: Session,
  rule: PermissionRule,
  creator: SessionCreator,
): PermissionRule {
  return create(PermissionRuleSchema, {
    ...rule,
    ruleId: services.newId('rule'),
    source: RuleSource.SESSION,
    sessionId: session.sessionId,
    createdBy: creator.principal,
  });
}

function checkRules(services: LoopServices, rules: readonly PermissionRule[]): void {
  const known = offeredTools(services).map(tool => tool.spec);
  const errors = rules.flatMap(rule => checkRule(rule, known).errors);
  if (errors.length > 0) throw new SessionRefusal('INVALID', errors.join('; '));
}
