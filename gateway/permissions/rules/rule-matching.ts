import { isRelativeProgram, type Match, matchNarrowly, matchWidely } from '../bash/command-matching.ts';
import { programNameOf } from '../bash/simple-command.ts';
import type { CallPart, CommandPart, PathPart, SourceScript } from '../call-parts.ts';
import type { PermissionFacts } from '../permission-call.ts';
import { matchesGlob } from './text-glob.ts';
import type { ToolRule } from './tool-rule.ts';
import { matchesUrl } from './url-patterns.ts';

/** Whether a rule that stops matches a part. */
export function stopsPart(rule: ToolRule, part: CallPart, facts: PermissionFacts): Match {
  return part.kind === 'path' ? stopsPath(rule, part, facts) : stopsOther(rule, part);
}

/** Whether a rule that allows covers a part. */
export function allowsPart(rule: ToolRule, part: CallPart, facts: PermissionFacts): boolean {
  return part.kind === 'path' ? allowsPath(rule, part, facts) : rule.isOwn && allowsOther(rule, part);
}

function stopsPath(rule: ToolRule, part: PathPart, facts: PermissionFacts): Match {
  if (!judgesAccess(rule, part) && !(rule.isOwn && part.namedBy === 'argument')) return 'no';
  if (part.path === undefined) return 'maybe';
  if (rule.path().matches(part.path, facts)) return 'yes';
  // What the rule stops may lie below the folder that is searched.
  return part.isSearch === true && rule.path().mayMatchBelow(part.path, facts) ? 'maybe' : 'no';
}

function stopsOther(rule: ToolRule, part: Exclude<CallPart, PathPart>): Match {
  if (!rule.isOwn) return 'no';
  switch (part.kind) {
    case 'command':
      return matchWidely(rule.command(), part.command);
    case 'unseen':
      return part.hidesCommands ? 'maybe' : 'no';
    case 'argument':
      return 'no';
    case 'url':
      return matchesUrl(rule.url(), part.url) ? 'yes' : 'no';
    default:
      return matchesGlob(rule.text(), part.text) ? 'yes' : 'no';
  }
}

function allowsPath(rule: ToolRule, part: PathPart, facts: PermissionFacts): boolean {
  if (part.script !== undefined && rule.isOwn && isWholeScript(rule, part.script)) return true;
  if (part.path === undefined) return false;
  const judges = part.namedBy === 'argument' ? rule.isOwn : judgesAccess(rule, part);
  return judges && rule.path().matches(part.path, facts);
}

function allowsOther(rule: ToolRule, part: Exclude<CallPart, PathPart>): boolean {
  switch (part.kind) {
    case 'command':
      return allowsCommand(rule, part);
    case 'unseen':
      return !part.hidesCommands && isWholeScript(rule, part.script);
    case 'argument':
      return false;
    case 'url':
      return matchesUrl(rule.url(), part.url);
    default:
      return matchesGlob(rule.text(), part.text);
  }
}

function judgesAccess(rule: ToolRule, part: PathPart): boolean {
  return part.access === 'read' ? rule.judgesReads : rule.judgesWrites;
}

function allowsCommand(rule: ToolRule, part: CommandPart): boolean {
  if (isWholeScript(rule, part.script)) return true;
  // Elsewhere the same words may start another program, or git read another repository's configuration.
  const dependsOnFolder = isRelativeProgram(part.command) || programNameOf(part.command) === 'git';
  if (!part.isAtHome && dependsOnFolder) return false;
  return matchNarrowly(rule.command(), part.command);
}

// A rule that is the script itself, letter by letter, allows whatever the script does.
function isWholeScript(rule: ToolRule, script: SourceScript): boolean {
  const pattern = rule.command();
  return pattern.kind === 'exact' && pattern.script === script.text;
}
