import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { programKeyOf, programKeysOf } from '../bash/program-keys.ts';
import type { CallPart } from '../call-parts.ts';
import { segmentKeyOf } from '../files/segment-keys.ts';
import { createRuleIndex, inOrder, type RuleIndex } from './rule-index.ts';
import type { ToolRule } from './tool-rule.ts';
import { hostOf } from './url-patterns.ts';

/** The rules of one behaviour that may judge calls of one tool. */
export interface ToolRules {
  /** The first rule that means every call of the tool. */
  readonly whole: PermissionRule | undefined;
  /** The rules with content that may match a part, in their order. */
  candidates(part: CallPart): readonly ToolRule[];
}

/** Indexes the rules of a tool by what the parts of its calls must have for a rule to match. */
export function createToolRules(whole: PermissionRule | undefined, rules: readonly ToolRule[]): ToolRules {
  if (rules.length === 0) return { whole, candidates: () => rules };
  const own = rules.filter(({ isOwn }) => isOwn);
  const programs = lazy(() => createRuleIndex(own, rule => programKeyOf(rule.command())));
  const scripts = lazy(() => createRuleIndex(own.filter(isExact), scriptKeyOf));
  const paths = lazy(() => createRuleIndex(rules, ({ rule }) => segmentKeyOf(rule.content)));
  const hosts = lazy(() => createRuleIndex(own, rule => rule.url().host));
  const texts = lazy(() =>
    createRuleIndex(own, rule => (rule.text().length === 1 ? rule.text()[0] : undefined)),
  );
  const ofScript = (script: string) => scripts().candidates([script.trim()]);
  return {
    whole,
    candidates: part => {
      switch (part.kind) {
        case 'path':
          if (part.path === undefined) return rules;
          return part.script === undefined
            ? paths().candidates(part.path.keys)
            : inOrder([...paths().candidates(part.path.keys), ...ofScript(part.script)]);
        case 'command': {
          const keys = programKeysOf(part.command);
          return keys === undefined
            ? own
            : inOrder([...programs().candidates(keys), ...ofScript(part.script)]);
        }
        case 'unseen':
          return own;
        case 'url':
          return hosts().candidates([hostOf(part.url) ?? '']);
        default:
          return texts().candidates([part.text]);
      }
    },
  };
}

function isExact(rule: ToolRule): boolean {
  return rule.command().kind === 'exact';
}

function scriptKeyOf(rule: ToolRule): string | undefined {
  const pattern = rule.command();
  return pattern.kind === 'exact' ? pattern.script : undefined;
}

function lazy(make: () => RuleIndex): () => RuleIndex {
  let made: RuleIndex | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
