import { create } from '@bufbuild/protobuf';
import {
  type Decision,
  DecisionSchema,
  DecisionStage,
  type DecisionStep,
  PermissionMode,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { judgeAllowances } from './allowances.ts';
import { hasOpinion, type JudgedCall, judgedCall, opinion, type Stage } from './judged-call.ts';
import { judgePlan } from './mode.ts';
import type { PermissionCall, PermissionContext, PermissionFacts } from './permission-call.ts';
import { judgeSafety } from './safety-floor.ts';
import { judgeAskRules, judgeDenyRules } from './stopping-rules.ts';
import { suggestRules } from './suggestions.ts';

/** What the engine said about one call; stored and sent as it is. */
export type PermissionDecision = Decision;

// The strictest of these holds; of equally strict ones the first.
const stoppingStages: readonly Stage[] = [judgeDenyRules, judgeSafety, judgeAskRules, judgePlan];

/**
 * Decides what happens to a call: the strictest of deny rules, safety floor, ask rules and PLAN; else whatever
 * allows all of it; else a person is asked, or nobody in DONT_ASK. Never throws, and depends on its arguments only.
 */
export function decide(
  context: PermissionContext,
  facts: PermissionFacts,
  call: PermissionCall,
): PermissionDecision {
  const judged = judgedCall(context, facts, call);
  const steps = stoppingStages.map(stage => stage(judged));
  let final = strictest(steps);
  if (final === undefined) {
    const allowance = judgeAllowances(judged);
    steps.push(allowance);
    final = hasOpinion(allowance) ? allowance : fallback(judged, allowance);
    if (final !== allowance) steps.push(final);
  }
  const isAnswerable =
    final.behavior === PermissionBehavior.ASK &&
    (final.stage === DecisionStage.FALLBACK || final.stage === DecisionStage.TOOL_DEFAULT);
  const suggestions = isAnswerable ? suggestRules(judged) : [];
  if (final.behavior === PermissionBehavior.ASK && context.mode === PermissionMode.DONT_ASK) {
    final = opinion(
      DecisionStage.MODE,
      PermissionBehavior.DENY,
      `Nobody is there to be asked. ${final.detail}`,
      final.rule,
    );
    steps.push(final);
  }
  const { behavior, stage, detail, rule } = final;
  return create(DecisionSchema, {
    behavior,
    stage,
    reason: detail,
    ...(rule === undefined ? {} : { rule }),
    steps,
    suggestions,
  });
}

function strictest(steps: readonly DecisionStep[]): DecisionStep | undefined {
  return steps.reduce<DecisionStep | undefined>(
    (found, step) => (hasOpinion(step) && step.behavior > (found?.behavior ?? 0) ? step : found),
    undefined,
  );
}

function fallback(judged: JudgedCall, allowance: DecisionStep): DecisionStep {
  if (judged.call.tool.permission?.defaultBehavior === PermissionBehavior.DENY)
    return opinion(
      DecisionStage.TOOL_DEFAULT,
      PermissionBehavior.DENY,
      'The tool is denied unless a rule allows it.',
    );
  return opinion(DecisionStage.FALLBACK, PermissionBehavior.ASK, allowance.detail);
}
