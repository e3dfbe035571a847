import { DecisionStage, type DecisionStep, PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { hasInertAssignments } from './bash/command-matching.ts';
import { directoryTarget } from './bash/directory-changes.ts';
import { onlyShowsRepository } from './bash/git-reads.ts';
import { harmlessWorkOf } from './bash/harmless-commands.ts';
import { placedPaths } from './bash/script-files.ts';
import type { CommandPart, PathPart } from './call-parts.ts';
import { isInWorkspace, type ResolvedPath, resolvePath } from './files/resolved-path.ts';
import { guardedRead, guardedWrite, isLikelySecret } from './files/sensitive-paths.ts';
import { describePart, type JudgedCall, opinion, rulesOf } from './judged-call.ts';
import type { PermissionFacts } from './permission-call.ts';
import { allowsPart } from './rules/rule-matching.ts';

/** What allows a command without a rule: being judged by its parts, only reading, or the mode; else undefined. */
export function coverCommand(part: CommandPart, judged: JudgedCall): DecisionStep | undefined {
  const allowed = (stage: DecisionStage, why: string) =>
    opinion(stage, PermissionBehavior.ALLOW, `It may ${describePart(part)}: ${why}.`);
  if (isJudgedByParts(part))
    return allowed(DecisionStage.ALLOW_RULE, 'what it starts or enters is judged itself');
  if (readsWorkspace(part, judged) && isOrdinary(judged))
    return allowed(DecisionStage.TOOL_DEFAULT, 'it only reads the workspace');
  if (judged.context.mode === PermissionMode.ACCEPT_EDITS && editsWorkspace(part, judged))
    return allowed(DecisionStage.MODE, 'ACCEPT_EDITS and inside the workspace');
  return undefined;
}

/** True for a command that surely changes nothing; the files it reads are parts of their own. */
export function onlyReads(part: CommandPart, facts: PermissionFacts): boolean {
  return harmlessWorkOf(part.command)?.kind === 'reads' || onlyShowsTrusted(part, facts);
}

// Elsewhere lies another repository, with a configuration that nobody vouched for.
function onlyShowsTrusted(part: CommandPart, facts: PermissionFacts): boolean {
  return facts.trustsRepository === true && part.isAtHome && onlyShowsRepository(part.command);
}

/** True for wrappers, whose command is a part of its own, and for cd, whose folder is. */
export function isJudgedByParts({ command }: CommandPart): boolean {
  if (command.isGuess || !hasInertAssignments(command)) return false;
  return command.runsOthers === 'listed' || directoryTarget(command) !== undefined;
}

function readsWorkspace(part: CommandPart, judged: JudgedCall): boolean {
  if (onlyShowsTrusted(part, judged.facts)) return true;
  return touchesOnly(part, judged, 'reads', (path, label) => {
    const isOpen = isInWorkspace(path, judged.facts) && !isLikelySecret(path);
    return guardedRead(path) === undefined && (isOpen || hasReadRule(path, label, judged));
  });
}

function editsWorkspace(part: CommandPart, judged: JudgedCall): boolean {
  return touchesOnly(
    part,
    judged,
    'edits',
    path => isInWorkspace(path, judged.facts) && guardedWrite(path, judged.guarded) === undefined,
  );
}

function touchesOnly(
  part: CommandPart,
  judged: JudgedCall,
  kind: 'reads' | 'edits',
  isFree: (path: ResolvedPath, label: string) => boolean,
): boolean {
  const work = harmlessWorkOf(part.command);
  if (work?.kind !== kind) return false;
  const paths = work.files.map(word => placedPaths(word, part.directories));
  return paths.every(places => places?.every(place => isFree(resolvePath(place, judged.facts), place)));
}

// A rule for Read also lets commands that only read do so.
function hasReadRule(path: ResolvedPath, label: string, judged: JudgedCall): boolean {
  const part: PathPart = { kind: 'path', access: 'read', path, label, namedBy: 'operand' };
  const rules = rulesOf(judged, PermissionBehavior.ALLOW).candidates(part);
  return rules.some(rule => allowsPart(rule, part, judged.facts));
}

// An executor may ask for more care with its tool, never for less.
function isOrdinary(judged: JudgedCall): boolean {
  const behavior = judged.call.tool.permission?.defaultBehavior ?? PermissionBehavior.UNSPECIFIED;
  return behavior !== PermissionBehavior.ASK && behavior !== PermissionBehavior.DENY;
}
