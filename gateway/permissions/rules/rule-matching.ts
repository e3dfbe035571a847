import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { isRelativeProgram, type Match, matchNarrowly, matchWidely } from '../bash/command-matching.ts';
import { parseCommandPattern } from '../bash/command-patterns.ts';
import { programNameOf } from '../bash/simple-command.ts';
import type { CallPart, CommandPart, PathPart } from '../call-parts.ts';
import { matchesPath } from '../files/path-patterns.ts';
import type { PermissionCall, PermissionFacts } from '../permission-call.ts';
import { matchesGlob, parseGlob } from './text-glob.ts';
import { judgesFiles, namesTool } from './tool-name.ts';
import { matchesUrl } from './url-patterns.ts';

/** Whether a rule that stops, with content, matches one part of a call. */
export function matchStoppingRule(
  rule: PermissionRule,
  part: CallPart,
  call: PermissionCall,
  facts: PermissionFacts,
): Match {
  const isOwn = namesTool(rule.tool, rule.behavior, call.tool);
  if (part.kind === 'path') return stopsPath(rule, part, isOwn, facts);
  if (!isOwn) return 'no';
  switch (part.kind) {
    case 'command':
      return matchWidely(parseCommandPattern(rule.content), part.command);
    case 'unseen':
      return part.hidesCommands ? 'maybe' : 'no';
    case 'url':
      return matchesUrl(rule.content, part.url) ? 'yes' : 'no';
    default:
      return matchesGlob(parseGlob(rule.content), part.text) ? 'yes' : 'no';
  }
}

function stopsPath(rule: PermissionRule, part: PathPart, isOwn: boolean, facts: PermissionFacts): Match {
  if (!judgesFiles(rule.tool, part.access) && !(isOwn && part.namedBy === 'argument')) return 'no';
  if (part.path === undefined) return 'maybe';
  return matchesPath(rule.content, part.path, facts, 'wide') ? 'yes' : 'no';
}

/** True when an allow rule, with content, covers one part of a call. */
export function matchAllowRule(
  rule: PermissionRule,
  part: CallPart,
  call: PermissionCall,
  facts: PermissionFacts,
): boolean {
  const isOwn = namesTool(rule.tool, PermissionBehavior.ALLOW, call.tool);
  switch (part.kind) {
    case 'path':
      return allowsPath(rule, part, isOwn, facts);
    case 'command':
      return isOwn && allowsCommand(rule.content, part);
    case 'unseen':
      return isOwn && !part.hidesCommands && isWholeScript(rule.content, part.script);
    case 'url':
      return isOwn && matchesUrl(rule.content, part.url);
    default:
      return isOwn && matchesGlob(parseGlob(rule.content), part.text);
  }
}

function allowsPath(rule: PermissionRule, part: PathPart, isOwn: boolean, facts: PermissionFacts): boolean {
  if (part.script !== undefined && isOwn && isWholeScript(rule.content, part.script)) return true;
  if (part.path === undefined) return false;
  const judges = part.namedBy === 'argument' ? isOwn : judgesFiles(rule.tool, part.access);
  return judges && matchesPath(rule.content, part.path, facts, 'narrow');
}

function allowsCommand(content: string, part: CommandPart): boolean {
  if (isWholeScript(content, part.script)) return true;
  // Elsewhere the same words may start another program, or git read another repository's configuration.
  const dependsOnFolder = isRelativeProgram(part.command) || programNameOf(part.command) === 'git';
  if (!part.isAtHome && dependsOnFolder) return false;
  return matchNarrowly(parseCommandPattern(content), part.command);
}

// A rule that is the script itself, letter by letter, allows whatever the script does.
function isWholeScript(content: string, script: string): boolean {
  const pattern = parseCommandPattern(content);
  return pattern.kind === 'exact' && pattern.script === script.trim();
}
