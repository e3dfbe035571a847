import { DecisionStage, type DecisionStep } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { Match } from './bash/command-matching.ts';
import type { CallPart } from './call-parts.ts';
import { describePart, describeRule, type JudgedCall, noOpinion, opinion, rulesOf } from './judged-call.ts';
import { stopsPart } from './rules/rule-matching.ts';
import type { ToolRule } from './rules/tool-rule.ts';
import type { ToolRules } from './rules/tool-rules.ts';

const nothingDenies = noOpinion(DecisionStage.DENY_RULE, 'No such rule matches any part of the call.');
const nothingAsks = noOpinion(DecisionStage.ASK_RULE, 'No such rule matches any part of the call.');

/** Deny rules: one that matches any part denies; one that may match asks. */
export function judgeDenyRules(judged: JudgedCall): DecisionStep {
  return judgeStoppingRules(judged, PermissionBehavior.DENY, DecisionStage.DENY_RULE);
}

/** Ask rules: one that matches, or may match, any part asks. */
export function judgeAskRules(judged: JudgedCall): DecisionStep {
  return judgeStoppingRules(judged, PermissionBehavior.ASK, DecisionStage.ASK_RULE);
}

interface Finding {
  readonly candidate: ToolRule;
  readonly part: CallPart;
  readonly match: Match;
}

function judgeStoppingRules(
  judged: JudgedCall,
  behavior: PermissionBehavior,
  stage: DecisionStage,
): DecisionStep {
  const rules = rulesOf(judged, behavior);
  const { whole } = rules;
  if (whole !== undefined)
    return opinion(stage, behavior, `The rule ${describeRule(whole)} names the tool.`, whole);
  const findings = findMatches(judged, rules);
  const sure = findings.find(({ match }) => match === 'yes');
  if (sure !== undefined)
    return opinion(
      stage,
      behavior,
      `The rule ${describeRule(sure.candidate.rule)} stops: ${describePart(sure.part)}.`,
      sure.candidate.rule,
    );
  const possible = findings[0];
  if (possible === undefined) return stage === DecisionStage.DENY_RULE ? nothingDenies : nothingAsks;
  return opinion(
    stage,
    PermissionBehavior.ASK,
    `Only running it would show whether the rule ${describeRule(possible.candidate.rule)} stops: ${describePart(possible.part)}.`,
    possible.candidate.rule,
  );
}

// In the order of rules, then of parts.
function findMatches(judged: JudgedCall, rules: ToolRules): Finding[] {
  const findings: Finding[] = [];
  for (const part of judged.parts) {
    for (const candidate of rules.candidates(part)) {
      const match = stopsPart(candidate, part, judged.facts);
      if (match !== 'no') findings.push({ candidate, part, match });
    }
  }
  return findings.sort((left, right) => left.candidate.order - right.candidate.order);
}
