import { describe, expect, it } from 'vitest';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { answerTo } from '#test/permission-calls.ts';

describe('without a rule, in DEFAULT and in PLAN,', () => {
  const free = [
    'ls',
    'ls -la src',
    'cat src/a.ts | head -n 5',
    'grep -n "a|b" src/a.ts',
    "find . -name '*.ts' -not -path './x/*'",
    "awk -F '|' '{print $1}' data.csv",
    "sed -n '1,20p' a.txt",
    "sed 's/a/b/g' a.txt",
    'cut -d / -f 2 list.txt',
    'sort -k 2 a.txt | uniq -c',
    'cd src && ls',
    'wc -l < a.txt',
    'echo "$HOME $x" 2> /dev/null',
    'echo $(cat a.txt)',
    'timeout 5 cat a.txt',
    'if true; then pwd; fi',
    "cat <<'EOF'\n$(rm x)\nEOF",
  ];
  it.each(free)('%j runs', command => {
    expect(answerTo(command)).toBe('allow');
    expect(answerTo(command, { mode: PermissionMode.PLAN })).toBe('allow');
  });

  const asked = [
    'cat $x',
    'cat *',
    'cat -- $x',
    'grep -r x .',
    'grep -f /etc/hosts x',
    'grep --color x /var/log/x',
    'find . -delete',
    'find . -name x -exec rm {} +',
    'find . -fprint x',
    'find $x',
    'awk -F x \'BEGIN{system("touch y")}\'',
    'awk \'{print > "f"}\' x',
    'awk -f prog x',
    'awk -F -F \'BEGIN{system("touch y")}\'',
    'awk -v -v \'{print > "f"}\'',
    'awk \'BEGIN{ARGV[1]="/etc/passwd";ARGC=2}1\'',
    'bash -c "$(cat <<-\'EOF\'\n\tcat <<X\n\tX\n\ttouch f\n\tX\nEOF\n)"',
    'awk "$x" f',
    "sed 's/x/y/w f' a",
    "sed 's/x/touch f/e;s/a/b/' a",
    "sed 's/x/y/e' a",
    "sed '1e touch f' a",
    "sed -i 's/x/y/' a",
    "sed -n 'w f' a",
    'sort -o out a',
    'sort --outp=out a',
    'uniq a out',
    'echo x > out',
    'echo $(touch x)',
    'FOO=1 cat a',
    'PATH=. cat a',
    './cat a',
    '/tmp/cat a',
    'tee x',
    'touch x',
    'xargs cat',
    'env cat a',
    'git branch -D x',
    'curl http://x',
  ];
  it.each(asked)('%j does not', command => {
    expect(answerTo(command)).toBe('ask');
    expect(answerTo(command, { mode: PermissionMode.PLAN })).toBe('deny');
  });

  it.each([
    'cat /etc/hosts',
    'cat ../x',
    'cat ~/x',
    'cat .env',
    'head -n 5 -- /etc/hosts',
    'ls /',
    'cd / && ls',
    'cd .. && cat x',
    'find / -name x',
  ])('%j asks, because of what it would read', command => {
    expect(answerTo(command)).toBe('ask');
    expect(answerTo(command, { mode: PermissionMode.PLAN })).toBe('ask');
  });

  it('a link out of the workspace is not read', () => {
    expect(answerTo('cat a', { links: { '/repo/a': '/var/a' } })).toBe('ask');
    expect(answerTo('cd a && cat b', { links: { '/repo/a': '/var', '/repo/a/b': '/var/b' } })).toBe('ask');
  });
});

describe('in ACCEPT_EDITS', () => {
  const mode = PermissionMode.ACCEPT_EDITS;
  it.each([
    'mkdir -p src/new',
    'touch a b',
    'mv a src/b',
    'mkdir x && touch x/y',
    'cat a > b',
    'echo x >> log',
  ])('%j runs', command => {
    expect(answerTo(command, { mode })).toBe('allow');
  });

  const asked = [
    'mkdir /x',
    'touch ../x',
    'mv a /tmp/b',
    'touch $x',
    'mkdir a; curl x',
    'rm a',
    'echo x > .env',
    'mv .git x',
    'touch .git/hooks/x',
    'mkdir --mode=777 x',
  ];
  it.each(asked)('%j does not', command => {
    expect(answerTo(command, { mode })).toBe('ask');
  });
});
