import { DecisionStage, type DecisionStep } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { CallPart } from './call-parts.ts';
import { describePart, describeRule, type JudgedCall, noOpinion, opinion, rulesOf } from './judged-call.ts';
import { matchesArgument } from './rules/argument-patterns.ts';
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
}

interface Findings {
  sure: Finding | undefined;
  possible: Finding | undefined;
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
  const { sure, possible } = findMatches(judged, rules);
  if (sure !== undefined)
    return opinion(
      stage,
      behavior,
      `The rule ${describeRule(sure.candidate.rule)} stops: ${describePart(sure.part)}.`,
      sure.candidate.rule,
    );
  if (possible === undefined) return stage === DecisionStage.DENY_RULE ? nothingDenies : nothingAsks;
  return opinion(
    stage,
    PermissionBehavior.ASK,
    `Only running it would show whether the rule ${describeRule(possible.candidate.rule)} stops: ${describePart(possible.part)}.`,
    possible.candidate.rule,
  );
}

// The first rule that surely matches, and the first that may; of one rule the first part.
function findMatches(judged: JudgedCall, rules: ToolRules): Findings {
  const findings: Findings = { sure: undefined, possible: undefined };
  for (const part of judged.parts) addMatches(part, judged, rules, findings);
  for (const candidate of rules.aboutArguments) {
    const pattern = candidate.argument();
    if (pattern === undefined || !matchesArgument(pattern, judged.call.input, 'wide')) continue;
    if (isBefore(candidate, findings.sure))
      findings.sure = { candidate, part: { kind: 'argument', name: pattern.path.join('.') } };
  }
  return findings;
}

function addMatches(part: CallPart, judged: JudgedCall, rules: ToolRules, findings: Findings): void {
  for (const candidate of rules.candidates(part)) {
    if (!isBefore(candidate, findings.sure)) return;
    const match = stopsPart(candidate, part, judged.facts);
    if (match === 'yes') findings.sure = { candidate, part };
    if (match === 'maybe' && isBefore(candidate, findings.possible)) findings.possible = { candidate, part };
  }
}

function isBefore(candidate: ToolRule, found: Finding | undefined): boolean {
  return found === undefined || candidate.order < found.candidate.order;
}
