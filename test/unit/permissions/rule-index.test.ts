import { describe, expect, it } from 'vitest';
import { createRuleCache } from '#gateway/agent/rule-cache.ts';
import { type PermissionRule, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { answerOf, answerTo, decideCall, rule, tools } from '#test/permission-calls.ts';

const others = Array.from({ length: 50 }, (_, index) => [
  `allow Bash(program${index}:*)`,
  `deny Read(/folder${index}/**)`,
  `deny WebFetch(domain:host${index}.example)`,
]).flat();

describe('one rule among many that mean something else', () => {
  const commands: [string, string, string][] = [
    ['deny Bash(rm:*)', 'ls; /bin/rm x', 'deny'],
    ['deny Bash(/bin/rm:*)', '/bin/rm x', 'deny'],
    ['deny Bash(r*m:*)', 'rm:x', 'deny'],
    ['deny Bash(* push)', 'git push', 'deny'],
    ['deny Bash(git push)', 'git -C x push', 'deny'],
    ['ask Bash(make:*)', '$x y', 'ask'],
    ['allow Bash(npm test && npm run lint)', 'npm test && npm run lint', 'allow'],
    ['allow Bash(npm test > out)', 'npm test > out', 'allow'],
    ['allow Bash(npm *)', 'npm test', 'allow'],
    ['allow Bash(*)', 'npm test', 'allow'],
  ];
  it.each(commands)('%s judges %s', (text, command, expected) => {
    expect(answerTo(command, { rules: [...others, text] })).toBe(expected);
  });

  const paths: [string, string][] = [
    ['deny Read(secret.txt)', '/repo/a/SECRET.txt'],
    ['deny Read(*.pem)', '/repo/keys/a.PEM'],
    ['deny Read(*.tar.gz)', '/repo/a.tar.gz'],
    ['deny Read(*-key.pem)', '/repo/my-key.pem'],
    ['deny Read(id_*)', '/repo/id_rsa'],
    ['deny Read([ab].txt)', '/repo/a.txt'],
    ['deny Read(/a\\ b)', '/repo/a b'],
    ['deny Read(src/**/private/**)', '/repo/src/x/private/y'],
    ['deny Read(~/notes)', '/home/u/notes/a'],
    ['deny Read(//srv/data)', '/srv/data/x'],
    ['deny Read(./x/)', '/repo/x'],
    ['deny Read(**)', '/repo/x'],
  ];
  it.each(paths)('%s judges %s', (text, path) => {
    const decision = decideCall(tools.read, { file_path: path }, { rules: [...others, text] });
    expect(answerOf(decision)).toBe('deny');
  });

  it('is found for a link that really leads there', () => {
    const rules = [...others, 'deny Read(vault/**)'];
    const links = { '/repo/x': '/repo/vault/y' };
    expect(answerOf(decideCall(tools.read, { file_path: '/repo/x' }, { rules, links }))).toBe('deny');
  });

  it.each(['https://EVIL.example./x', 'https://a@evil.example'])('stops %s', url => {
    const rules = [...others, 'deny WebFetch(domain:evil.example)'];
    expect(answerOf(decideCall(tools.fetch, { url }, { rules }))).toBe('deny');
  });
});

describe('compiled rules of a session', () => {
  const rules = () => ['allow Bash(ls:*)', 'deny Read(x)'].map(rule);

  it('are kept while no rule changes, whoever read the list', () => {
    const compiled = createRuleCache();
    expect(compiled('a', rules())).toBe(compiled('a', rules()));
    expect(compiled('a', rules())).not.toBe(compiled('b', rules()));
  });

  it('change with every change of a rule', () => {
    const compiled = createRuleCache();
    const second = rule('deny Read(x)');
    const before = compiled('a', rules());
    const changes: Partial<PermissionRule>[] = [
      { content: 'cat:*' },
      { behavior: PermissionBehavior.DENY },
      { tool: 'X' },
      { source: RuleSource.POLICY },
      { ruleId: 'r' },
    ];
    for (const change of changes) {
      const changed = Object.assign(rule('allow Bash(ls:*)'), change);
      expect(compiled('a', [changed, second])).not.toBe(before);
      compiled('a', rules());
    }
    expect(compiled('a', [])).not.toBe(before);
  });
});
