import {
  DecisionStage,
  type DecisionStep,
  type PermissionRule,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { Match } from './bash/command-matching.ts';
import type { CallPart } from './call-parts.ts';
import {
  describePart,
  describeRule,
  type JudgedCall,
  noOpinion,
  opinion,
  rulesOf,
  wholeToolRule,
} from './judged-call.ts';
import { stoppingMatcher } from './rules/rule-matching.ts';

/** Deny rules: one that matches any part denies; one that may match asks. */
export function judgeDenyRules(judged: JudgedCall): DecisionStep {
  return judgeStoppingRules(judged, PermissionBehavior.DENY, DecisionStage.DENY_RULE);
}

/** Ask rules: one that matches, or may match, any part asks. */
export function judgeAskRules(judged: JudgedCall): DecisionStep {
  return judgeStoppingRules(judged, PermissionBehavior.ASK, DecisionStage.ASK_RULE);
}

interface Finding {
  readonly rule: PermissionRule;
  readonly part: CallPart;
  readonly match: Match;
}

function judgeStoppingRules(
  judged: JudgedCall,
  behavior: PermissionBehavior,
  stage: DecisionStage,
): DecisionStep {
  const whole = wholeToolRule(judged, behavior);
  if (whole !== undefined)
    return opinion(stage, behavior, `The rule ${describeRule(whole)} names the tool.`, whole);
  const findings = findMatches(judged, behavior);
  const sure = findings.find(({ match }) => match === 'yes');
  if (sure !== undefined)
    return opinion(
      stage,
      behavior,
      `The rule ${describeRule(sure.rule)} stops: ${describePart(sure.part)}.`,
      sure.rule,
    );
  const possible = findings[0];
  if (possible === undefined) return noOpinion(stage, 'No such rule matches any part of the call.');
  return opinion(
    stage,
    PermissionBehavior.ASK,
    `Only running it would show whether the rule ${describeRule(possible.rule)} stops: ${describePart(possible.part)}.`,
    possible.rule,
  );
}

function findMatches(judged: JudgedCall, behavior: PermissionBehavior): Finding[] {
  const rules = rulesOf(judged, behavior).filter(rule => rule.content !== '');
  return rules.flatMap(rule => {
    const matchPart = stoppingMatcher(rule, judged.call, judged.facts);
    return judged.parts.flatMap(part => {
      const match = matchPart(part);
      return match === 'no' ? [] : [{ rule, part, match }];
    });
  });
}
