import { DecisionStage, type DecisionStep, PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { CallPart, PathPart } from './call-parts.ts';
import { coverCommand, isJudgedByParts, onlyReads } from './command-allowances.ts';
import { isInWorkspace } from './files/resolved-path.ts';
import { guardedRead, isHarmlessDevice, isLikelySecret } from './files/sensitive-paths.ts';
import { describePart, describeRule, type JudgedCall, noOpinion, opinion, rulesOf } from './judged-call.ts';
import { matchesArgument } from './rules/argument-patterns.ts';
import { allowsPart } from './rules/rule-matching.ts';
import type { ToolRules } from './rules/tool-rules.ts';

/** Parts of a call that nothing allows. */
export function uncoveredParts(judged: JudgedCall): CallPart[] {
  const rules = rulesOf(judged, PermissionBehavior.ALLOW);
  return judged.parts.filter(part => coverPart(part, rules, judged) === undefined);
}

/** Allows a call of which every part is allowed by a rule, the mode or the nature of the tool. */
export function judgeAllowances(judged: JudgedCall): DecisionStep {
  const rules = rulesOf(judged, PermissionBehavior.ALLOW);
  const { whole } = rules;
  if (whole !== undefined)
    return opinion(
      DecisionStage.ALLOW_RULE,
      PermissionBehavior.ALLOW,
      `The rule ${describeRule(whole)} allows the tool.`,
      whole,
    );
  if (judged.context.mode === PermissionMode.BYPASS)
    return opinion(DecisionStage.MODE, PermissionBehavior.ALLOW, 'BYPASS allows what nothing stops.');
  if (judged.parts.length === 0) return argumentRule(judged, rules) ?? judgeByNature(judged);
  const covers: DecisionStep[] = [];
  for (const part of judged.parts) {
    const cover = coverPart(part, rules, judged);
    if (cover === undefined)
      return noOpinion(DecisionStage.ALLOW_RULE, `Nothing allows it to ${describePart(part)}.`);
    covers.push(cover);
  }
  return weakestCover(covers);
}

/**
 * True when the call changes nothing: a read-only tool that says so itself, of an MCP server
 * only where the operator trusts its word, or a script of
 * which every part surely only reads.
 */
export function isReadOnly(judged: JudgedCall): boolean {
  if (isReadOnlyTool(judged)) return true;
  const hasCommands = judged.parts.some(part => part.kind === 'command');
  return hasCommands && judged.parts.every(part => isReadOnlyPart(part, judged));
}

function isReadOnlyTool(judged: JudgedCall): boolean {
  const { hints, mcpOrigin } = judged.call.tool;
  const isTrusted = mcpOrigin === undefined || judged.context.trustedServers?.has(mcpOrigin.server) === true;
  return hints?.readOnly === true && isTrusted;
}

function isReadOnlyPart(part: CallPart, judged: JudgedCall): boolean {
  if (part.kind === 'command') return isJudgedByParts(part) || onlyReads(part, judged.facts);
  if (part.kind !== 'path') return false;
  return part.access === 'read' || (part.path !== undefined && isHarmlessDevice(part.path.absolute));
}

// The decision rests on the cover that comes last in the order of stages.
function weakestCover(covers: readonly DecisionStep[]): DecisionStep {
  const [first, ...rest] = covers;
  const weakest = rest.reduce((weak, cover) => (cover.stage > (weak?.stage ?? 0) ? cover : weak), first);
  return weakest ?? noOpinion(DecisionStage.ALLOW_RULE, 'The call has no part to allow.');
}

function coverPart(part: CallPart, rules: ToolRules, judged: JudgedCall): DecisionStep | undefined {
  const rule = rules.candidates(part).find(candidate => allowsPart(candidate, part, judged.facts))?.rule;
  if (rule !== undefined)
    return opinion(
      DecisionStage.ALLOW_RULE,
      PermissionBehavior.ALLOW,
      `The rule ${describeRule(rule)} allows it to ${describePart(part)}.`,
      rule,
    );
  if (part.kind === 'command') return coverCommand(part, judged);
  return part.kind === 'path' ? coverPath(part, judged) : undefined;
}

function coverPath(part: PathPart, judged: JudgedCall): DecisionStep | undefined {
  const allowed = (stage: DecisionStage, why: string) =>
    opinion(stage, PermissionBehavior.ALLOW, `It may ${describePart(part)}: ${why}.`);
  if (part.namedBy === 'operand') return allowed(DecisionStage.ALLOW_RULE, 'what allows the command decides');
  if (part.path === undefined) return undefined;
  if (part.namedBy === 'redirection' && isHarmlessDevice(part.path.absolute))
    return allowed(DecisionStage.ALLOW_RULE, 'it is a harmless device');
  if (!isInWorkspace(part.path, judged.facts)) return undefined;
  if (part.access === 'write') {
    const accepts = judged.context.mode === PermissionMode.ACCEPT_EDITS && isFileWork(judged);
    return accepts ? allowed(DecisionStage.MODE, 'ACCEPT_EDITS and inside the workspace') : undefined;
  }
  if (guardedRead(part.path) !== undefined || isLikelySecret(part.path)) return undefined;
  return mayRead(part, judged)
    ? allowed(DecisionStage.TOOL_DEFAULT, 'it only reads the workspace')
    : undefined;
}

function mayRead(part: PathPart, judged: JudgedCall): boolean {
  if (part.namedBy !== 'argument') return true;
  if (isReadOnlyTool(judged)) return defaultsToAllow(judged);
  return judged.context.mode === PermissionMode.ACCEPT_EDITS && isFileWork(judged);
}

// Only tools of our own kind: an MCP tool, or one that reaches out, may do more with a path than the mode means.
function isFileWork(judged: JudgedCall): boolean {
  const { hints, mcpOrigin } = judged.call.tool;
  return mcpOrigin === undefined && hints?.openWorld !== true;
}

// An executor's default can only tighten what its hints would give.
function defaultsToAllow(judged: JudgedCall): boolean {
  const behavior = judged.call.tool.permission?.defaultBehavior ?? PermissionBehavior.UNSPECIFIED;
  const isOpen = judged.call.tool.hints?.openWorld === true;
  return !isOpen && (behavior === PermissionBehavior.UNSPECIFIED || behavior === PermissionBehavior.ALLOW);
}

// Only of tools without match fields: of others, a rule about one argument says nothing about what else they do.
function argumentRule({ call }: JudgedCall, { aboutArguments }: ToolRules): DecisionStep | undefined {
  if ((call.tool.permission?.matchFields.length ?? 0) > 0) return undefined;
  const found = aboutArguments.find(candidate => {
    const pattern = candidate.argument();
    return pattern !== undefined && matchesArgument(pattern, call.input, 'narrow');
  });
  if (found === undefined) return undefined;
  const detail = `The rule ${describeRule(found.rule)} allows it with such arguments.`;
  return opinion(DecisionStage.ALLOW_RULE, PermissionBehavior.ALLOW, detail, found.rule);
}

function judgeByNature(judged: JudgedCall): DecisionStep {
  if (!isReadOnlyTool(judged) || !defaultsToAllow(judged))
    return noOpinion(DecisionStage.TOOL_DEFAULT, 'The tool does not run by itself.');
  return opinion(DecisionStage.TOOL_DEFAULT, PermissionBehavior.ALLOW, 'The tool is read-only.');
}
