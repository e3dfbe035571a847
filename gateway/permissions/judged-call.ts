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
import { type GuardedNames, guardedNames } from './files/sensitive-paths.ts';
import type { PermissionCall, PermissionContext, PermissionFacts } from './permission-call.ts';
import type { ToolRules } from './rules/tool-rules.ts';

/** A call on its way through the stages. */
export interface JudgedCall {
  readonly context: PermissionContext;
  readonly facts: PermissionFacts;
  readonly call: PermissionCall;
  readonly parts: readonly CallPart[];
  /** Names of files and folders that operator and tool add to the safety floor. */
  readonly guarded: readonly GuardedNames[];
}

/** A part of the engine: says what it thinks of a call in one step. */
export type Stage = (judged: JudgedCall) => DecisionStep;

/** Takes a call apart, once for all stages. */
export function judgedCall(
  context: PermissionContext,
  facts: PermissionFacts,
  call: PermissionCall,
): JudgedCall {
  return { context, facts, call, parts: partsOf(call, facts), guarded: guardedBy(context, call) };
}

function guardedBy({ dangers }: PermissionContext, { tool }: PermissionCall): GuardedNames[] {
  const guarded = dangers === undefined ? [] : [dangers.names];
  const traits = tool.permission;
  if (traits === undefined || traits.dangerousFiles.length + traits.dangerousDirectories.length === 0)
    return guarded;
  return [...guarded, guardedNames(traits.dangerousFiles, traits.dangerousDirectories)];
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

/** The session's rules of one behaviour that may judge the call. */
export function rulesOf({ context, call }: JudgedCall, behavior: PermissionBehavior): ToolRules {
  return context.rules.for(call.tool, behavior);
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
    case 'argument':
      return `be called with such a value of ${displayedText(part.name)}`;
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
