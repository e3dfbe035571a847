import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { decide } from '#gateway/permissions/decide.ts';
import { isMoreLenient } from '#gateway/permissions/mode.ts';
import { emptyFacts } from '#gateway/permissions/permission-call.ts';
import { compileRules } from '#gateway/permissions/rules/compile-rules.ts';
import { DecisionSchema, PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior, type ToolSpec, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { answerOf, answerTo, decideCall, rule, stageOf, tools } from '#test/permission-calls.ts';

const { DEFAULT, ACCEPT_EDITS, PLAN, DONT_ASK, BYPASS } = PermissionMode;

describe('the strictest of all rules holds', () => {
  it('deny over ask over allow, in every order', () => {
    const rules = ['allow Bash(git:*)', 'ask Bash(git push:*)', 'deny Bash(git push --force:*)'];
    for (const ordered of [rules, rules.toReversed(), [rules[1] ?? '', rules[2] ?? '', rules[0] ?? '']]) {
      expect(answerTo('git status', { rules: ordered })).toBe('allow');
      expect(answerTo('git push', { rules: ordered })).toBe('ask');
      expect(answerTo('git push --force', { rules: ordered })).toBe('deny');
    }
  });

  it('and the whole decision is the same in every order', () => {
    const rules = ['deny Bash(rm:*)', 'deny Bash(rm x)', 'ask Bash', 'allow Bash(ls:*)'];
    const bytes = (ordered: string[]) =>
      toBinary(DecisionSchema, decideCall(tools.bash, { command: 'ls; rm x' }, { rules: ordered }));
    expect(bytes(rules)).toEqual(bytes(rules.toReversed()));
  });

  it('and a decision names the rule, the stage and every step', () => {
    const decision = decideCall(tools.bash, { command: 'git push' }, { rules: ['deny Bash(git push:*)'] });
    expect(stageOf(decision)).toBe('DENY_RULE');
    expect(decision.rule?.content).toBe('git push:*');
    expect(decision.reason).toContain('Bash(git push:*)');
    expect(decision.steps.length).toBeGreaterThanOrEqual(4);
  });
});

describe('modes', () => {
  it('DONT_ASK denies what would be asked and keeps the suggestion', () => {
    const decision = decideCall(tools.bash, { command: 'npm install' }, { mode: DONT_ASK });
    expect(answerOf(decision)).toBe('deny');
    expect(decision.suggestions.map(({ content }) => content)).toContain('npm install:*');
    expect(answerTo('npm i', { mode: DONT_ASK, rules: ['ask Bash(npm:*)', 'allow Bash'] })).toBe('deny');
    expect(answerTo('npm i', { mode: DONT_ASK, rules: ['allow Bash(npm:*)'] })).toBe('allow');
    expect(answerTo('rm -rf /', { mode: DONT_ASK, rules: ['allow Bash'] })).toBe('deny');
  });

  it('PLAN denies what is not read-only, also against allow rules', () => {
    const rules = ['allow Write', 'allow Bash'];
    expect(answerOf(decideCall(tools.write, { file_path: '/repo/a' }, { mode: PLAN, rules }))).toBe('deny');
    expect(answerTo('touch x', { mode: PLAN, rules })).toBe('deny');
    expect(answerOf(decideCall(tools.read, { file_path: '/repo/a' }, { mode: PLAN }))).toBe('allow');
  });

  it('BYPASS stops for deny and ask rules only', () => {
    expect(answerTo('npm i', { mode: BYPASS })).toBe('allow');
    expect(answerTo('npm i', { mode: BYPASS, rules: ['ask Bash(npm:*)'] })).toBe('ask');
    expect(answerTo('npm i', { mode: BYPASS, rules: ['deny Bash(npm:*)'] })).toBe('deny');
  });

  it('an unset mode counts as DEFAULT', () => {
    expect(answerTo('npm i', { mode: PermissionMode.UNSPECIFIED })).toBe('ask');
  });

  it('are ordered by what they let run', () => {
    const modes = [PLAN, DONT_ASK, DEFAULT, ACCEPT_EDITS, BYPASS];
    for (const [index, mode] of modes.entries()) {
      for (const [other, than] of modes.entries()) expect(isMoreLenient(mode, than)).toBe(index > other);
    }
    expect(isMoreLenient(PermissionMode.UNSPECIFIED, DEFAULT)).toBe(false);
    expect(isMoreLenient(99 as PermissionMode, BYPASS)).toBe(true);
  });
});

describe('a tool without match fields', () => {
  const spec = (more: Partial<Parameters<typeof create<typeof ToolSpecSchema>>[1]>): ToolSpec =>
    create(ToolSpecSchema, { name: 'tool', ...more } as Parameters<typeof create<typeof ToolSpecSchema>>[1]);
  const answer = (tool: ToolSpec, rules: string[] = [], mode: PermissionMode = DEFAULT) =>
    answerOf(
      decide({ mode, rules: compileRules(rules.map(rule)) }, emptyFacts, {
        tool,
        input: {},
        analyses: new Map(),
      }),
    );
  const readOnly = { readOnly: true };

  it('runs by itself only when it is read-only and reaches nothing outside', () => {
    expect(answer(spec({}))).toBe('ask');
    expect(answer(spec({ hints: readOnly }))).toBe('allow');
    expect(answer(spec({ hints: { readOnly: true, openWorld: true } }))).toBe('ask');
  });

  it('is not trusted with its hint when it comes from an MCP server', () => {
    const tool = spec({ name: 'mcp__s__t', mcpOrigin: { server: 's', tool: 't' }, hints: readOnly });
    expect(answer(tool)).toBe('ask');
    expect(answer(tool, [], PLAN)).toBe('deny');
  });

  it('is trusted with its hint when the operator trusts its server', () => {
    const tool = spec({ name: 'mcp__s__t', mcpOrigin: { server: 's', tool: 't' }, hints: readOnly });
    const writes = spec({ name: 'mcp__s__w', mcpOrigin: { server: 's', tool: 'w' } });
    expect(answerOf(decideCall(tool, {}, { trustedServers: ['s'] }))).toBe('allow');
    expect(answerOf(decideCall(tool, {}, { trustedServers: ['s'], mode: PLAN }))).toBe('allow');
    expect(answerOf(decideCall(tool, {}, { trustedServers: ['t'] }))).toBe('ask');
    expect(answerOf(decideCall(writes, {}, { trustedServers: ['s'] }))).toBe('ask');
  });

  it('may make its default stricter, not more lenient', () => {
    const { ALLOW, ASK, DENY } = PermissionBehavior;
    expect(answer(spec({ permission: { defaultBehavior: ALLOW } }))).toBe('ask');
    expect(answer(spec({ hints: readOnly, permission: { defaultBehavior: ASK } }))).toBe('ask');
    expect(answer(spec({ hints: readOnly, permission: { defaultBehavior: DENY } }))).toBe('deny');
    expect(answer(spec({ permission: { defaultBehavior: DENY } }), ['allow tool'])).toBe('allow');
  });

  it('is named by its alias too', () => {
    const tool = spec({ aliases: ['other'] });
    expect(answer(tool, ['deny other'])).toBe('deny');
    expect(answer(tool, ['allow other'])).toBe('allow');
  });

  it('is stopped by wildcards, but allowed by its own server only', () => {
    const tool = spec({ name: 'mcp__git__hub__delete', mcpOrigin: { server: 'git__hub', tool: 'delete' } });
    expect(answer(tool, ['deny *'])).toBe('deny');
    expect(answer(tool, ['ask mcp__*'])).toBe('ask');
    expect(answer(tool, ['deny mcp__*__delete'])).toBe('deny');
    expect(answer(tool, ['allow *', 'allow mcp__*', 'allow mcp__git__*'])).toBe('ask');
    expect(answer(tool, ['allow mcp__git__hub__*'])).toBe('allow');
    expect(answer(tool, ['deny mcp__git__*', 'allow mcp__git__hub__delete'])).toBe('allow');
  });
});

describe('rules for addresses and texts', () => {
  const fetch = (url: string, rules: string[]) => answerOf(decideCall(tools.fetch, { url }, { rules }));
  it('compare the host that is really reached', () => {
    const rules = ['allow WebFetch(domain:example.com)'];
    expect(fetch('https://example.com/x', rules)).toBe('allow');
    expect(fetch('https://EXAMPLE.com.:8443/x', rules)).toBe('allow');
    for (const url of [
      'https://example.com.evil.test',
      'https://example.com@evil.test',
      'https://a.example.com',
      'no url',
      'https://evil.test/#example.com',
    ])
      expect(fetch(url, rules)).toBe('ask');
  });

  it('take "*." for subdomains only', () => {
    expect(fetch('https://a.example.com', ['allow WebFetch(domain:*.example.com)'])).toBe('allow');
    expect(fetch('https://example.com', ['allow WebFetch(domain:*.example.com)'])).toBe('ask');
  });

  it('compare texts exactly or by glob', () => {
    const search = (query: string, rules: string[]) =>
      answerOf(decideCall(tools.search, { query }, { rules }));
    expect(search('weather today', ['allow Search(weather *)'])).toBe('allow');
    expect(search('weathering', ['allow Search(weather *)'])).toBe('ask');
    expect(search('a*b', ['allow Search(a\\*b)'])).toBe('allow');
    expect(search('axb', ['allow Search(a\\*b)'])).toBe('ask');
  });
});

it('deciding never throws, whatever the arguments hold', () => {
  const odd = [
    '',
    '\0',
    '\ud800',
    '$(',
    '"',
    "'",
    '`',
    '\\',
    '(((((',
    '<<EOF',
    '${',
    '$((',
    '[[',
    '{',
    '!',
    '\r\n',
    '=',
    '~',
    '~~',
    '-',
    '--',
    '*',
    ':*',
    'a'.repeat(30_000),
  ];
  const rules = [
    'deny Bash(rm:*)',
    'ask Bash(* x *)',
    'allow Bash(ls:*)',
    'deny Read(**/.env)',
    'allow Write(/x/**)',
  ];
  for (const first of odd) {
    for (const second of odd) {
      const text = `${first} ${second}`;
      expect(answerTo(text, { rules })).not.toBe('');
      expect(answerOf(decideCall(tools.write, { file_path: text }, { rules }))).not.toBe('');
      expect(
        answerOf(decideCall(tools.fetch, { url: text }, { rules: [`deny WebFetch(${text})`] })),
      ).not.toBe('');
    }
  }
  for (const input of [
    {},
    { command: 1 },
    { command: null },
    { command: ['ls', 2] },
    { command: { a: 'ls' } },
  ])
    expect(answerOf(decideCall(tools.bash, input, { rules }))).toBe('ask');
});
