import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { MatchKind, PermissionBehavior, type ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { carrierNamed } from '../bash/carriers.ts';
import { type CommandPattern, parseCommandPattern } from '../bash/command-patterns.ts';
import { PATH_KINDS } from '../call-paths.ts';
import { isDeceptive } from '../displayed-text.ts';
import { isPathPattern } from '../files/path-patterns.ts';
import { argumentProblem } from './check-argument-rule.ts';
import { judgesFiles, namesTool } from './tool-name.ts';
import { readingOf } from './tool-rule.ts';

/** What is wrong with a rule: errors keep it from being stored, warnings are shown to whoever stores it. */
export interface RuleCheck {
  readonly errors: string[];
  readonly warnings: string[];
}

const longestContent = 1_000;

/** Checks a rule before it is stored or loaded, against the tools that are known then. */
export function checkRule(rule: PermissionRule, knownTools: readonly ToolSpec[]): RuleCheck {
  const tools = knownTools.filter(tool => namesTool(rule.tool, rule.behavior, tool));
  return {
    errors: [...toolErrors(rule, tools), ...contentErrors(rule, tools)],
    warnings: [...toolWarnings(rule, tools), ...contentWarnings(rule, tools)],
  };
}

const knownBehaviors: readonly PermissionBehavior[] = [
  PermissionBehavior.ALLOW,
  PermissionBehavior.ASK,
  PermissionBehavior.DENY,
];

function toolErrors(rule: PermissionRule, tools: readonly ToolSpec[]): string[] {
  const errors: string[] = [];
  const isAllow = rule.behavior === PermissionBehavior.ALLOW;
  const isKnown = knownBehaviors.includes(rule.behavior);
  if (!isKnown) errors.push('The rule has no behavior: set it to allow, ask or deny.');
  if (rule.tool.trim() === '')
    errors.push('The rule names no tool: set tool to a name, an alias or "mcp__SERVER__*".');
  else if (rule.tool !== rule.tool.trim() || isDeceptive(rule.tool))
    errors.push('The tool of the rule holds blanks or characters that nobody sees.');
  if (isAllow && rule.tool.includes('*') && !/^mcp__[^*]+__\*$/.test(rule.tool))
    errors.push(`"${rule.tool}" is too broad to allow: name one tool, or one server as in "mcp__SERVER__*".`);
  const mayComeLater = rule.tool.startsWith('mcp__') || rule.tool.includes('*');
  const judgesAny = judgesFiles(rule.tool, 'read') || judgesFiles(rule.tool, 'write');
  if (
    rule.behavior === PermissionBehavior.DENY &&
    tools.length === 0 &&
    !mayComeLater &&
    !judgesAny &&
    rule.tool !== ''
  )
    errors.push(`No tool is called "${rule.tool}", so the rule would deny nothing. Check the name.`);
  return errors;
}

function contentErrors(rule: PermissionRule, tools: readonly ToolSpec[]): string[] {
  if (rule.content.length > longestContent)
    return [`The content is longer than ${longestContent} characters.`];
  if (isDeceptive(rule.content.replaceAll(/[\n\t]/g, '')))
    return ['The content holds characters that nobody sees; write the rule without them.'];
  if (rule.content !== '' && rule.content.trim() === '')
    return ['The content is blank: leave it empty to mean every call of the tool.'];
  const problem = argumentProblem(rule, tools);
  if (problem?.isError === true) return [problem.text];
  if (namesPaths(rule, tools) && !isPathPattern(rule.content, readingOf(rule.behavior)))
    return [`"${rule.content}" is no pattern for paths: check its brackets and backslashes.`];
  return [];
}

function namesPaths(rule: PermissionRule, tools: readonly ToolSpec[]): boolean {
  if (rule.content === '') return false;
  if (judgesFiles(rule.tool, 'read') || judgesFiles(rule.tool, 'write')) return true;
  const kinds = tools.flatMap(tool => (tool.permission?.matchFields ?? []).map(field => field.kind));
  return kinds.some(kind => PATH_KINDS.has(kind));
}

function toolWarnings(rule: PermissionRule, tools: readonly ToolSpec[]): string[] {
  if (tools.length > 0 || rule.behavior === PermissionBehavior.DENY) return [];
  return [`No tool is called "${rule.tool}" now, so the rule matches nothing yet.`];
}

function contentWarnings(rule: PermissionRule, tools: readonly ToolSpec[]): string[] {
  if (rule.content === '') return [];
  const problem = argumentProblem(rule, tools);
  if (problem !== undefined) return problem.isError ? [] : [problem.text];
  const kinds = new Set(tools.flatMap(tool => (tool.permission?.matchFields ?? []).map(field => field.kind)));
  return kinds.has(MatchKind.COMMAND) ? commandWarnings(rule) : pathWarnings(rule, kinds);
}

function commandWarnings(rule: PermissionRule): string[] {
  const pattern = parseCommandPattern(rule.content);
  if (pattern.kind === 'glob' && rule.content.includes(':*'))
    return [
      '":*" means "any further words" only at the end of a content; here it is a colon and a wildcard.',
    ];
  if (rule.behavior === PermissionBehavior.ALLOW) return broadAllowWarnings(rule.content, pattern);
  return pattern.kind === 'exact' && pattern.words === undefined
    ? [`"${rule.content}" is not one plain command, so the rule stops nothing. Name a single command.`]
    : [];
}

function broadAllowWarnings(content: string, pattern: CommandPattern): string[] {
  if (pattern.kind === 'exact') return [];
  const program = pattern.kind === 'prefix' ? pattern.words[0] : content.split(/\s/, 1)[0];
  if (program === undefined || program.includes('*'))
    return ['The rule begins with a wildcard, so it allows any program.'];
  if (carrierNamed(program) !== undefined)
    return [
      `${program} runs other commands, so only an exact rule can allow it; this one allows nothing by itself.`,
    ];
  if (codeRunner.test(program))
    return [`${program} can run any program or code, so this rule allows nearly everything.`];
  return [];
}

const codeRunner =
  /^(bash|sh|zsh|dash|ksh|fish|python[\d.]*|node|deno|bun|ruby|perl|php|lua|npx|pnpx|bunx|uvx|pipx|devbox|docker|podman|kubectl|ssh|make|nix|nix-shell|mise|direnv|awk|gawk)$/;

function pathWarnings(rule: PermissionRule, kinds: ReadonlySet<MatchKind>): string[] {
  if (![...kinds].some(kind => PATH_KINDS.has(kind))) return [];
  if (/^\/(etc|home|root|tmp|usr|var|opt|srv)(\/|$)/.test(rule.content))
    return [`"/…" starts at the workspace; write "/${rule.content}" for the absolute path.`];
  if (rule.content.startsWith('!'))
    return ['"!" has no meaning here: write a rule with the other behavior instead.'];
  if (rule.content.split('/').includes('..'))
    return ['A pattern with ".." never matches; name the path from "//", "~/" or "/".'];
  return [];
}
