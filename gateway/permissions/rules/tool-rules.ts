import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { SimpleCommand } from '../bash/simple-command.ts';
import { programKeyOf, programKeysOf, wordKeyOf, wordKeysOf } from '../bash/word-keys.ts';
import type { CallPart, SourceScript } from '../call-parts.ts';
import { PATH_KINDS } from '../call-paths.ts';
import { segmentKeyOf } from '../files/segment-keys.ts';
import { createRuleIndex, inOrder } from './rule-index.ts';
import type { ToolRule } from './tool-rule.ts';
import { hostOf } from './url-patterns.ts';

/** The rules of one behaviour that may judge calls of one tool. */
export interface ToolRules {
  /** The first rule that means every call of the tool. */
  readonly whole: PermissionRule | undefined;
  /** The rules about single arguments, in their order. */
  readonly aboutArguments: readonly ToolRule[];
  /** The rules with content that may match a part, in their order. */
  candidates(part: CallPart): readonly ToolRule[];
}

/** Indexes the rules of a tool by what the parts of its calls must have for a rule to match. */
export function createToolRules(
  tool: ToolSpec,
  whole: PermissionRule | undefined,
  rules: readonly ToolRule[],
): ToolRules {
  if (rules.length === 0) return { whole, aboutArguments: rules, candidates: () => rules };
  const own = rules.filter(({ isOwn }) => isOwn);
  const commands = lazy(() => createRuleIndex(own, rule => wordKeyOf(rule.command())));
  const programs = lazy(() => createRuleIndex(own, rule => programKeyOf(rule.command())));
  const initials = lazy(() => createRuleIndex(own, rule => programKeyOf(rule.command())?.slice(0, 1)));
  const scripts = lazy(() => createRuleIndex(own.filter(isExact), scriptKeyOf));
  const aboutPaths = lazy(() => rules.filter(rule => judgesPaths(rule, tool)));
  const paths = lazy(() => createRuleIndex(aboutPaths(), ({ rule }) => segmentKeyOf(rule.content)));
  const hosts = lazy(() => createRuleIndex(own, rule => rule.url().host));
  const texts = lazy(() =>
    createRuleIndex(own, rule => (rule.text().length === 1 ? rule.text()[0] : undefined)),
  );
  const ofScript = (part: { script?: SourceScript }) =>
    part.script === undefined ? [] : scripts().candidates([part.script.text]);
  const ofCommand = (command: SimpleCommand) => {
    const keys = wordKeysOf(command);
    if (keys !== undefined) return commands().candidates(keys);
    const names = programKeysOf(command);
    if (names !== undefined) return programs().candidates(names);
    const initial = command.words[0]?.text.slice(0, 1) ?? '';
    if (initial !== '') return initials().candidates([initial]);
    const first = own.find(rule => programKeyOf(rule.command()) !== undefined);
    return [...initials().candidates([]), ...(first === undefined ? [] : [first])];
  };
  // Of rules that can do no more than perhaps match, the first speaks for all.
  const firstPossible = [rules.find(rule => rule.judgesReads), rules.find(rule => rule.judgesWrites), own[0]];
  const possible = firstPossible.filter(rule => rule !== undefined);
  return {
    whole,
    aboutArguments: own.filter(rule => rule.argument() !== undefined),
    candidates: part => {
      switch (part.kind) {
        case 'path': {
          // What lies below a searched folder is named nowhere, so no key leads to the rules about it.
          if (part.isSearch === true) return aboutPaths();
          const found = part.path === undefined ? possible : paths().candidates(part.path.keys);
          return part.script === undefined ? found : inOrder([...found, ...ofScript(part)]);
        }
        case 'command':
          return inOrder([...ofCommand(part.command), ...ofScript(part)]);
        case 'unseen':
          return inOrder([...possible, ...ofScript(part)]);
        case 'argument':
          return [];
        case 'url':
          return hosts().candidates([hostOf(part.url) ?? '']);
        default:
          return texts().candidates([part.text]);
      }
    },
  };
}

// A rule for scripts says nothing about the files they name, unless it is the whole script.
function judgesPaths(rule: ToolRule, tool: ToolSpec): boolean {
  if (rule.judgesReads || rule.judgesWrites) return true;
  const kinds = tool.permission?.matchFields.map(({ kind }) => kind) ?? [];
  return kinds.some(kind => PATH_KINDS.has(kind));
}

function isExact(rule: ToolRule): boolean {
  return rule.command().kind === 'exact';
}

function scriptKeyOf(rule: ToolRule): string | undefined {
  const pattern = rule.command();
  return pattern.kind === 'exact' ? pattern.script : undefined;
}

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
