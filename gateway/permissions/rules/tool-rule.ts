import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior, type ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { type CommandPattern, parseCommandPattern } from '../bash/command-patterns.ts';
import { type PathPattern, parsePathPattern, type RuleReading } from '../files/path-patterns.ts';
import { type ArgumentPattern, parseArgumentPattern } from './argument-patterns.ts';
import { parseGlob, type TextGlob } from './text-glob.ts';
import { judgesFiles, namesTool } from './tool-name.ts';
import { parseUrlPattern, type UrlPattern } from './url-patterns.ts';

/** A rule with content as it judges the calls of one tool. Its content is read when it is first needed. */
export interface ToolRule {
  readonly rule: PermissionRule;
  /** Place in the order of rules; of several that match, the first is named. */
  readonly order: number;
  /** True when the rule names the tool, not only files that the tool may open. */
  readonly isOwn: boolean;
  readonly judgesReads: boolean;
  readonly judgesWrites: boolean;
  readonly command: () => CommandPattern;
  readonly path: () => PathPattern;
  readonly url: () => UrlPattern;
  readonly text: () => TextGlob;
  readonly argument: () => ArgumentPattern | undefined;
}

/** Prepares a rule for one tool. */
export function prepareRule(rule: PermissionRule, order: number, tool: ToolSpec): ToolRule {
  const { content } = rule;
  const isOwn = namesTool(rule.tool, rule.behavior, tool);
  const hasMatchFields = (tool.permission?.matchFields.length ?? 0) > 0;
  return {
    rule,
    order,
    isOwn,
    judgesReads: judgesFiles(rule.tool, 'read'),
    judgesWrites: judgesFiles(rule.tool, 'write'),
    command: once(() => parseCommandPattern(content)),
    path: once(() => parsePathPattern(content, readingOf(rule.behavior))),
    url: once(() => parseUrlPattern(content)),
    text: once(() => parseGlob(content)),
    argument: once(() => parseArgumentPattern(content, hasMatchFields)),
  };
}

/** How rules of a behaviour are read. */
export function readingOf(behavior: PermissionBehavior): RuleReading {
  return behavior === PermissionBehavior.ALLOW ? 'narrow' : 'wide';
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
