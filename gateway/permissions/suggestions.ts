import { create } from '@bufbuild/protobuf';
import {
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { uncoveredParts } from './allowances.ts';
import { programOf } from './bash/simple-command.ts';
import type { CallPart, CommandPart, PathPart } from './call-parts.ts';
import { isDeceptive } from './displayed-text.ts';
import { escapePath } from './files/path-patterns.ts';
import type { JudgedCall } from './judged-call.ts';
import { matchesArgument } from './rules/argument-patterns.ts';
import { allowsPart } from './rules/rule-matching.ts';
import { escapeGlob } from './rules/text-glob.ts';
import { prepareRule } from './rules/tool-rule.ts';
import { hostOf } from './rules/url-patterns.ts';
import { filledTemplates } from './suggestion-templates.ts';

const mostSuggestions = 5;

// Nobody reads on to a rule for what has more parts than this.
const mostParts = 50;

// Programs whose second word says what they do, so that the first two together are one kind of call.
const programsWithSubcommands =
  /^(git|npm|pnpm|yarn|cargo|go|docker|podman|kubectl|gh|pip|pip3|uv|poetry|make|mvn|gradle|dotnet|terraform|apt|apt-get|brew|systemctl|bun|deno)$/;

/**
 * Allow rules for the session that would have let the call run, narrowest first, at most five. Each covers a part
 * that nothing covers yet; together they cover the call, or there are none.
 */
export function suggestRules(judged: JudgedCall): PermissionRule[] {
  const { tool, input } = judged.call;
  const offered = filledTemplates(tool, input).map(content => allowRule(tool.name, content));
  if (judged.parts.length === 0)
    return [...offered.filter(rule => coversArguments(rule, judged)), allowRule(tool.name, '')].slice(
      0,
      mostSuggestions,
    );
  if (judged.parts.length > mostParts) return [];
  const gaps = uncoveredParts(judged);
  // A rule for what a wrapper runs would also allow it without the wrapper, which nobody asked for.
  const hasWrapper = gaps.some(part => part.kind === 'command' && part.command.runsOthers === 'unlisted');
  if (hasWrapper) return wholeScriptRules(gaps, judged);
  const whole = offered.filter(rule => gaps.every(part => covers(rule, part, judged)));
  if (whole.length > 0) return whole.slice(0, mostSuggestions);
  const candidates = gaps.map(part =>
    candidatesFor(part, judged)
      .filter(rule => !isDeceptive(rule.content))
      .filter(rule => covers(rule, part, judged)),
  );
  if (candidates.some(rules => rules.length === 0)) return wholeScriptRules(gaps, judged);
  const rules = [...candidates.map(rules => rules[0]), ...candidates.flatMap(rules => rules.slice(1))];
  const distinct = new Map(
    rules.flatMap(rule => (rule === undefined ? [] : [[`${rule.tool}(${rule.content}`, rule]])),
  );
  return gaps.length > mostSuggestions ? [] : [...distinct.values()].slice(0, mostSuggestions);
}

function covers(rule: PermissionRule, part: CallPart, judged: JudgedCall): boolean {
  return allowsPart(prepareRule(rule, 0, judged.call.tool), part, judged.facts);
}

function coversArguments(rule: PermissionRule, { call }: JudgedCall): boolean {
  const pattern = prepareRule(rule, 0, call.tool).argument();
  return pattern !== undefined && matchesArgument(pattern, call.input, 'narrow');
}

function wholeScriptRules(gaps: readonly CallPart[], judged: JudgedCall): PermissionRule[] {
  const script = gaps.find(part => part.kind === 'unseen' || part.kind === 'command')?.script;
  if (script === undefined || script.isDeceptive) return [];
  const rule = allowRule(judged.call.tool.name, escapeGlob(script.text));
  return gaps.every(part => covers(rule, part, judged)) ? [rule] : [];
}

function candidatesFor(part: CallPart, judged: JudgedCall): PermissionRule[] {
  const tool = judged.call.tool.name;
  switch (part.kind) {
    case 'command':
      return commandContents(part).map(content => allowRule(tool, content));
    case 'path':
      return pathRules(part, tool, judged);
    case 'url': {
      const host = hostOf(part.url);
      return host === undefined ? [] : [allowRule(tool, `domain:${escapeGlob(host)}`)];
    }
    case 'text':
      return [allowRule(tool, escapeGlob(part.text))];
    default:
      return [];
  }
}

function commandContents(part: CommandPart): string[] {
  const { command } = part;
  if (!command.words.every(word => word.isLiteral)) return [];
  const exact = escapeGlob(command.words.map(word => quoteWord(word.text)).join(' '));
  const program = programOf(command) ?? '';
  const subcommand = command.words[1]?.text ?? '';
  const hasKind = programsWithSubcommands.test(program) && /^[a-z][a-z0-9:-]*$/.test(subcommand);
  return hasKind ? [exact, `${program} ${subcommand}:*`] : [exact];
}

function quoteWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function pathRules(part: PathPart, tool: string, judged: JudgedCall): PermissionRule[] {
  const path = part.path;
  if (path === undefined) return [];
  const judge = part.access === 'read' ? 'Read' : 'Write';
  const root = `${judged.facts.workspaceRoot}/`;
  const content = path.absolute.startsWith(root)
    ? `/${escapePath(path.absolute.slice(root.length))}`
    : `/${escapePath(path.absolute)}`;
  return [allowRule(part.namedBy === 'argument' ? tool : judge, content)];
}

function allowRule(tool: string, content: string): PermissionRule {
  return create(PermissionRuleSchema, {
    tool,
    content,
    behavior: PermissionBehavior.ALLOW,
    source: RuleSource.SESSION,
  });
}
