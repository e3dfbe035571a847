import { describe, expect, it } from 'vitest';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { answerOf, decideCall, type Situation, tools } from '#test/permission-calls.ts';

function suggested(tool: ToolSpec, input: Record<string, unknown>, situation?: Situation): string[] {
  return decideCall(tool, input, situation).suggestions.map(rule => `${rule.tool}(${rule.content})`);
}

const asked: [string, ToolSpec, Record<string, unknown>, string[]][] = [
  [
    'a command',
    tools.bash,
    { command: 'git push origin main' },
    ['Bash(git push origin main)', 'Bash(git push:*)'],
  ],
  ['a command with a wildcard', tools.bash, { command: "touch 'a*'" }, ["Bash(touch 'a\\*')"]],
  [
    'several commands',
    tools.bash,
    { command: 'npm ci && touch x' },
    ['Bash(npm ci)', 'Bash(touch x)', 'Bash(npm ci:*)'],
  ],
  ['a wrapped command', tools.bash, { command: 'timeout 9 npm ci' }, ['Bash(npm ci)', 'Bash(npm ci:*)']],
  [
    'a redirection',
    tools.bash,
    { command: 'npm ci > log' },
    ['Bash(npm ci)', 'Write(/log)', 'Bash(npm ci:*)'],
  ],
  [
    'what no single rule covers',
    tools.bash,
    { command: 'x=$(date +%s); touch $x' },
    ['Bash(x=$(date +%s); touch $x)'],
  ],
  ['a file of the workspace', tools.write, { file_path: 'src/[a] b.ts' }, ['Write(/src/\\[a\\]\\ b.ts)']],
  ['a file outside', tools.read, { file_path: '/var/log/x' }, ['Read(//var/log/x)']],
  ['an address', tools.fetch, { url: 'https://Example.com./a?b' }, ['WebFetch(domain:example.com)']],
  ['a text', tools.search, { query: 'a*b' }, ['Search(a\\*b)']],
];

describe('suggestions', () => {
  it.each(asked)('for %s are the narrowest rules first', (_, tool, input, rules) => {
    expect(suggested(tool, input)).toEqual(rules);
  });

  it.each(asked)('for %s allow the call when they are all accepted', (_, tool, input, rules) => {
    expect(answerOf(decideCall(tool, input, { rules: rules.map(rule => `allow ${rule}`) }))).toBe('allow');
  });

  it.each([
    ['the safety floor', 'rm -rf /', []],
    ['an ask rule', 'git push', ['ask Bash(git push:*)']],
    ['a rule that may match', '$x', ['deny Bash(rm:*)']],
    ['a script that is not valid', 'touch x (', []],
    ['more commands than rules may be offered', 'a; b; c; d; e; f', []],
  ])('are none where %s asked', (_, command, rules) => {
    expect(suggested(tools.bash, { command }, { rules })).toEqual([]);
  });

  it('never name a whole program', () => {
    for (const command of ['rm x', 'bash -c "touch x"', 'python3 x.py', 'curl -s http://x', 'sudo npm ci'])
      for (const rule of suggested(tools.bash, { command })) expect(rule).not.toContain(':*');
  });
});
