import { create } from '@bufbuild/protobuf';
import {
  DecisionStage,
  type DecisionStep,
  DecisionStepSchema,
  type PermissionRule,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { describeCommand } from './bash/simple-command.ts';
import { type CallPart, partsOf } from './call-parts.ts';
import { displayedText } from './displayed-text.ts';
import type { PermissionCall, PermissionContext, PermissionFacts } from './permission-call.ts';
import { namesTool } from './rules/tool-name.ts';

/** A call on its way through the stages. */
export interface JudgedCall {
  readonly context: PermissionContext;
  readonly facts: PermissionFacts;
  readonly call: PermissionCall;
  readonly parts: readonly CallPart[];
}

/** A part of the engine: says what it thinks of a call in one step. */
export type Stage = (judged: JudgedCall) => DecisionStep;

/** Takes a call apart, once for all stages. */
export function judgedCall(
  context: PermissionContext,
  facts: PermissionFacts,
  call: PermissionCall,
): JudgedCall {
  return { context, facts, call, parts: partsOf(call, facts) };
}

/** A step with an opinion. */
export function opinion(
  stage: DecisionStage,
  behavior: PermissionBehavior,
  detail: string,
  rule?: PermissionRule,
): DecisionStep {
  return create(DecisionStepSchema, { stage, behavior, detail, ...(rule === undefined ? {} : { rule }) });
}

/** A step without an opinion; the detail says what was looked at. */
export function noOpinion(stage: DecisionStage, detail: string): DecisionStep {
  return opinion(stage, PermissionBehavior.UNSPECIFIED, detail);
}

/** Rules of one behaviour in an order that does not depend on the order they were given in. */
export function rulesOf(judged: JudgedCall, behavior: PermissionBehavior): PermissionRule[] {
  return judged.context.rules
    .filter(rule => rule.behavior === behavior)
    .sort(
      (left, right) =>
        left.source - right.source ||
        compare(left.tool, right.tool) ||
        compare(left.content, right.content) ||
        compare(left.ruleId, right.ruleId),
    );
}

/** The first rule without content that means the call's tool. */
export function wholeToolRule(judged: JudgedCall, behavior: PermissionBehavior): PermissionRule | undefined {
  return rulesOf(judged, behavior).find(
    rule => rule.content === '' && namesTool(rule.tool, behavior, judged.call.tool),
  );
}

/** A rule as it is written: "Bash(git push:*)". */
export function describeRule(rule: PermissionRule): string {
  return rule.content === '' ? rule.tool : `${rule.tool}(${displayedText(rule.content)})`;
}

/** A part as people read it. */
export function describePart(part: CallPart): string {
  switch (part.kind) {
    case 'command':
      return `run ${displayedText(describeCommand(part.command))}`;
    case 'path':
      return `${part.access} ${displayedText(part.label)}`;
    case 'url':
      return `reach ${displayedText(part.url)}`;
    case 'text':
      return `use ${displayedText(part.text)}`;
    default:
      return `do something unseen: ${part.reason}`;
  }
}

/** Name of the stage's outcome that stands for "no opinion". */
export function hasOpinion(step: DecisionStep): boolean {
  return step.behavior !== PermissionBehavior.UNSPECIFIED && step.stage !== DecisionStage.UNSPECIFIED;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
