import { create } from '@bufbuild/protobuf';
import {
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import {
  MatchKind,
  PermissionBehavior,
  type ToolSpec,
  ToolSpecSchema,
} from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

const { ALLOW, ASK, DENY } = PermissionBehavior;

/** A Bash and a Read tool as the toolbox describes them, as far as decisions depend on that. */
export const benchTools = {
  bash: spec('Bash', '/command', MatchKind.COMMAND, false),
  read: spec('Read', '/file_path', MatchKind.READ_PATH, true),
} as const satisfies Record<string, ToolSpec>;

/** Rules of every kind and behaviour, half of them for Bash; no two are the same. */
export function manyRules(count: number): PermissionRule[] {
  const makers: ((index: number) => [string, string])[] = [
    index => ['Bash', `program${index} sub:*`],
    index => ['Bash', `npm run task${index}`],
    index => ['Bash', `tool${index} * --force`],
    index => ['Bash', `make target${index}:*`],
    index => ['Bash', `git push origin branch${index}:*`],
    index => ['Read', `/folder${index}/**`],
    index => ['Read', `*.ending${index}`],
    index => ['Write', `~/notes/${index}/*.md`],
    index => ['WebFetch', `domain:host${index}.example`],
    index => [`mcp__server${index}__*`, ''],
  ];
  const behaviors = [ALLOW, ASK, DENY];
  return Array.from({ length: count }, (_, index) => {
    const [tool, content] = makers[index % makers.length]?.(index) ?? ['Bash', ''];
    const behavior = behaviors[index % behaviors.length] ?? ASK;
    return create(PermissionRuleSchema, { tool, content, behavior, source: RuleSource.USER });
  });
}

/** Plain commands of a developer, each another one. */
export function plainCommands(count: number): string[] {
  const makers: ((index: number) => string)[] = [
    index => `npm run task${index}`,
    index => `git push origin branch${index}`,
    index => `grep -rn "name${index}" src`,
    index => `make target${index} VERBOSE=1`,
    index => `cargo test --package part${index}`,
  ];
  return Array.from({ length: count }, (_, index) => makers[index % makers.length]?.(index) ?? '');
}

/** Scripts of about 10,000 characters that are expensive for one of the parsers, the walk or the decision. */
export const hostileScripts: readonly string[] = [
  '$('.repeat(5_000),
  '('.repeat(10_000),
  `"'`.repeat(5_000),
  '<('.repeat(5_000),
  'eval '.repeat(2_000),
  'env -x '.repeat(1_430),
  'cd a;'.repeat(2_000),
  'f(){ '.repeat(2_000),
  'a$x;'.repeat(2_500),
  `\${a:-`.repeat(2_000),
  `cat ${'../a '.repeat(2_000)}`,
  'echo a$(b) ;'.repeat(833),
  `echo $((${'('.repeat(4_995)}1${')'.repeat(4_995)}))`,
];

function spec(name: string, pointer: string, kind: MatchKind, readOnly: boolean): ToolSpec {
  return create(ToolSpecSchema, {
    name,
    hints: { readOnly },
    permission: { matchFields: [{ pointer, kind }] },
  });
}
