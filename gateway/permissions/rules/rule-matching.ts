import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { isRelativeProgram, type Match, matchNarrowly, matchWidely } from '../bash/command-matching.ts';
import { type CommandPattern, parseCommandPattern } from '../bash/command-patterns.ts';
import { programNameOf } from '../bash/simple-command.ts';
import type { CallPart, CommandPart, PathPart } from '../call-parts.ts';
import { type PathMatcher, pathMatcher } from '../files/path-patterns.ts';
import type { PermissionCall, PermissionFacts } from '../permission-call.ts';
import { matchesGlob, parseGlob } from './text-glob.ts';
import { judgesFiles, namesTool } from './tool-name.ts';
import { matchesUrl } from './url-patterns.ts';

/** A rule with content, ready to be held against the parts of one call. */
interface PreparedRule {
  readonly rule: PermissionRule;
  /** True when the rule names the call's tool, not only files that it may open. */
  readonly isOwn: boolean;
  readonly commandPattern: () => CommandPattern;
  readonly matchesPath: PathMatcher;
}

/** Prepares a rule that stops: the result says whether it matches a part. */
export function stoppingMatcher(
  rule: PermissionRule,
  call: PermissionCall,
  facts: PermissionFacts,
): (part: CallPart) => Match {
  const isOwn = namesTool(rule.tool, rule.behavior, call.tool);
  if (!isOwn && !judgesFiles(rule.tool, 'read') && !judgesFiles(rule.tool, 'write')) return () => 'no';
  const prepared = prepare(rule, isOwn, pathMatcher(rule.content, facts, 'wide'));
  return part => (part.kind === 'path' ? stopsPath(prepared, part) : stopsOther(prepared, part));
}

/** Prepares a rule that allows: the result says whether it covers a part. */
export function allowMatcher(
  rule: PermissionRule,
  call: PermissionCall,
  facts: PermissionFacts,
): (part: CallPart) => boolean {
  const isOwn = namesTool(rule.tool, PermissionBehavior.ALLOW, call.tool);
  if (!isOwn && !judgesFiles(rule.tool, 'read') && !judgesFiles(rule.tool, 'write')) return () => false;
  const prepared = prepare(rule, isOwn, pathMatcher(rule.content, facts, 'narrow'));
  return part => (part.kind === 'path' ? allowsPath(prepared, part) : isOwn && allowsOther(prepared, part));
}

// Patterns are read when a part first needs them: most rules mean another kind of part.
function prepare(rule: PermissionRule, isOwn: boolean, matchesPath: PathMatcher): PreparedRule {
  let pattern: CommandPattern | undefined;
  const commandPattern = () => {
    pattern ??= parseCommandPattern(rule.content);
    return pattern;
  };
  return { rule, isOwn, commandPattern, matchesPath };
}

function stopsPath({ rule, isOwn, matchesPath }: PreparedRule, part: PathPart): Match {
  if (!judgesFiles(rule.tool, part.access) && !(isOwn && part.namedBy === 'argument')) return 'no';
  if (part.path === undefined) return 'maybe';
  return matchesPath(part.path) ? 'yes' : 'no';
}

function stopsOther({ rule, isOwn, commandPattern }: PreparedRule, part: Exclude<CallPart, PathPart>): Match {
  if (!isOwn) return 'no';
  switch (part.kind) {
    case 'command':
      return matchWidely(commandPattern(), part.command);
    case 'unseen':
      return part.hidesCommands ? 'maybe' : 'no';
    case 'url':
      return matchesUrl(rule.content, part.url) ? 'yes' : 'no';
    default:
      return matchesGlob(parseGlob(rule.content), part.text) ? 'yes' : 'no';
  }
}

function allowsPath(prepared: PreparedRule, part: PathPart): boolean {
  const { rule, isOwn, matchesPath } = prepared;
  if (part.script !== undefined && isOwn && isWholeScript(prepared, part.script)) return true;
  if (part.path === undefined) return false;
  const judges = part.namedBy === 'argument' ? isOwn : judgesFiles(rule.tool, part.access);
  return judges && matchesPath(part.path);
}

function allowsOther(prepared: PreparedRule, part: Exclude<CallPart, PathPart>): boolean {
  switch (part.kind) {
    case 'command':
      return allowsCommand(prepared, part);
    case 'unseen':
      return !part.hidesCommands && isWholeScript(prepared, part.script);
    case 'url':
      return matchesUrl(prepared.rule.content, part.url);
    default:
      return matchesGlob(parseGlob(prepared.rule.content), part.text);
  }
}

function allowsCommand(prepared: PreparedRule, part: CommandPart): boolean {
  if (isWholeScript(prepared, part.script)) return true;
  // Elsewhere the same words may start another program, or git read another repository's configuration.
  const dependsOnFolder = isRelativeProgram(part.command) || programNameOf(part.command) === 'git';
  if (!part.isAtHome && dependsOnFolder) return false;
  return matchNarrowly(prepared.commandPattern(), part.command);
}

// A rule that is the script itself, letter by letter, allows whatever the script does.
function isWholeScript({ commandPattern }: PreparedRule, script: string): boolean {
  const pattern = commandPattern();
  return pattern.kind === 'exact' && pattern.script === script.trim();
}
