import { posix } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { loadBashGrammar } from '#gateway/agent/bash-grammar.ts';
import { pathsOf } from '#gateway/permissions/call-paths.ts';
import { analyzeScripts } from '#gateway/permissions/call-scripts.ts';
import { decide } from '#gateway/permissions/decide.ts';
import type { PermissionCall, PermissionFacts } from '#gateway/permissions/permission-call.ts';
import { compileRules } from '#gateway/permissions/rules/compile-rules.ts';
import {
  type Decision,
  PermissionMode,
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { toolOfCase } from './case-tools.ts';
import type { PermissionCase } from './permission-case.ts';

/** What a case expects or got. */
type Behavior = 'allow' | 'ask' | 'deny';

/** What became of one case. */
export interface CaseVerdict {
  readonly permissionCase: PermissionCase;
  readonly decision: Decision;
  readonly behavior: Behavior;
  readonly passed: boolean;
  /** True when the call got more than the case lets it have: the one fault that must never happen. */
  readonly isTooLenient: boolean;
}

const secondParser = await loadBashGrammar();
const strictness: readonly Behavior[] = ['allow', 'ask', 'deny'];

/** Decides the call of a case and holds the decision against what the case expects. */
export function judgeCase(permissionCase: PermissionCase): CaseVerdict {
  const tool = toolOfCase(permissionCase);
  const input = permissionCase.call.input;
  const options = { homeDirectory: homeOf(permissionCase), secondParser };
  const call = { tool, input, analyses: analyzeScripts(tool, input, options) };
  const decision = decide(
    { mode: PermissionMode[permissionCase.mode], rules: compileRules(permissionCase.rules.map(ruleOf)) },
    factsOf(permissionCase, call),
    call,
  );
  const behavior = behaviorOf(decision);
  const expected = permissionCase.expect === 'not-allow' ? 'ask' : permissionCase.expect;
  const difference = strictness.indexOf(behavior) - strictness.indexOf(expected);
  const mayBeStricter =
    permissionCase.expect === 'not-allow' || permissionCase.tags?.includes('policy-choice') === true;
  return {
    permissionCase,
    decision,
    behavior,
    passed: difference === 0 || (mayBeStricter && difference > 0),
    isTooLenient: difference < 0,
  };
}

function behaviorOf(decision: Decision): Behavior {
  if (decision.behavior === PermissionBehavior.ALLOW) return 'allow';
  return decision.behavior === PermissionBehavior.DENY ? 'deny' : 'ask';
}

function ruleOf(rule: PermissionCase['rules'][number]): PermissionRule {
  const behaviors = {
    allow: PermissionBehavior.ALLOW,
    ask: PermissionBehavior.ASK,
    deny: PermissionBehavior.DENY,
  };
  return create(PermissionRuleSchema, {
    tool: rule.tool,
    content: rule.content ?? '',
    behavior: behaviors[rule.behavior],
    source: RuleSource.USER,
  });
}

function factsOf(permissionCase: PermissionCase, call: PermissionCall): PermissionFacts {
  const ctx = permissionCase.ctx ?? {};
  const workingDirectory = ctx.cwd ?? '/repo';
  const links = new Map(Object.entries(ctx.symlinks ?? {}));
  return {
    workingDirectory,
    workspaceRoot: ctx.projectRoot ?? ctx.workingDirs?.[0] ?? workingDirectory,
    homeDirectory: homeOf(permissionCase),
    trustsRepository: ctx.workspaceTrusted === true,
    realPaths: new Map(
      pathsOf(call).map(path => [path, realPathOf(posix.resolve(workingDirectory, path), links)]),
    ),
  };
}

function homeOf({ ctx }: PermissionCase): string {
  return ctx?.home ?? '/home/u';
}

// Follows the links of the case as the file system would: the longest linked ancestor first.
function realPathOf(path: string, links: ReadonlyMap<string, string>): string {
  const link = [...links.keys()]
    .filter(candidate => path === candidate || path.startsWith(`${candidate}/`))
    .sort((left, right) => right.length - left.length)[0];
  if (link === undefined) return path;
  return posix.normalize(`${links.get(link) ?? link}${path.slice(link.length)}`);
}
