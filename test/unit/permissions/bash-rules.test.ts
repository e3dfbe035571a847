import { describe, expect, it } from 'vitest';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { answerTo } from '#test/permission-calls.ts';

describe('an allow rule for Bash', () => {
  const allowed = [
    ['ls', 'ls:*'],
    ['ls -la src', 'ls:*'],
    ['npm  run\tbuild', 'npm run:*'],
    ['npm run build', 'npm run build'],
    ['npm test 2>&1', 'npm test:*'],
    ['/usr/bin/git log', 'git log:*'],
    ['CI=true npm test', 'npm test:*'],
    ['timeout -k 5 30 nice -n 5 npm test', 'npm test:*'],
    ['bash -c "npm test"', 'npm test:*'],
    ['ls src/*.ts "$HOME/x"', 'ls:*'],
    ['echo "a && b"', 'echo:*'],
    ["sed -n '1,5p' file", 'sed:*'],
    ['bash -lc "npm test | tee log"', 'bash -lc "npm test | tee log"'],
    ['for f in a b; do ls; done', 'ls:*'],
    ['python3 -c "print(1)"', 'python3 -c "print(1)"'],
    ['python3 -u tool.py -c x', 'python3:*'],
    ['python3 -m pytest -e x', 'python3 -m pytest:*'],
    ['python3 --version', 'python3:*'],
    ['node --test', 'node --test:*'],
    ['node server.js -p 80', 'node server.js:*'],
  ];
  it.each(allowed)('lets %s run under %s', (command, content) => {
    expect(answerTo(command, { rules: [`allow Bash(${content})`] })).toBe('allow');
  });

  const asked = [
    ['lsof', 'ls:*'],
    ['npm run buildx', 'npm run build'],
    ['npm run build --x', 'npm run build'],
    ['ls; touch x', 'ls:*'],
    ['ls | sh', 'ls:*'],
    ['ls & touch x', 'ls:*'],
    ['ls\ntouch x', 'ls:*'],
    ['ls $(touch x)', 'ls:*'],
    ['ls `touch x`', 'ls:*'],
    ['ls <(touch x)', 'ls:*'],
    [`ls "\${x:-$(touch x)}"`, 'ls:*'],
    [`ls \${x:=y}`, 'ls:*'],
    ['ls $x', 'ls:*'],
    ['ls "$x"', 'ls:*'],
    ['ls -*', 'ls:*'],
    ['l{s,}', 'ls:*'],
    ['./ls', 'ls:*'],
    ['/tmp/ls', 'ls:*'],
    ['LD_PRELOAD=x ls', 'ls:*'],
    ['PATH=x; ls', 'ls:*'],
    ['IFS=x; ls', 'ls:*'],
    ['ls() { touch x; }; ls', 'ls:*'],
    ['export PATH=/x; ls', 'ls:*'],
    ['ls > out', 'ls:*'],
    ['ls >> ~/.bashrc', 'ls:*'],
    ['ls &> out', 'ls:*'],
    ['ls <> out', 'ls:*'],
    ['ls >& out', 'ls:*'],
    ['ls > $x', 'ls:*'],
    ['ls (', 'ls:*'],
    ['ls "', 'ls:*'],
    [`echo "\${x@P}"`, 'echo:*'],
    ['echo $((x))', 'echo:*'],
    [`echo \${!x}`, 'echo:*'],
    [`echo \${a[x]}`, 'echo:*'],
    ['for PATH in /x; do ls; done', 'ls:*'],
    ['xargs ls', 'xargs:*'],
    ['sudo ls', 'sudo:*'],
    ['env ls', 'ls:*'],
    ['exec ls', 'exec:*'],
    ['bash -c "touch x"', 'bash:*'],
    ['echo x | bash', 'bash:*'],
    ['bash -ic ls', 'ls:*'],
    ['git -c core.pager=x log', 'git:*'],
    ['git log --output=x', 'git log:*'],
    ['git --exec-path=x log', 'git:*'],
    ['tar xf a --to-comm=x', 'tar:*'],
    ['tar xf a -I x', 'tar:*'],
    ["sed 's/a/b/w x' f", 'sed:*'],
    ['awk \'BEGIN{system("x")}\'', 'awk:*'],
    ['python3 -c "import os"', 'python3:*'],
    ['python3 -W ignore -Ic "x"', 'python3:*'],
    ['python3', 'python3:*'],
    ['python3 - < f', 'python3:*'],
    ["perl -lne 'x' f", 'perl:*'],
    ['node -pe 1', 'node:*'],
    ['node $x', 'node:*'],
    ['php -r "x"', 'php *'],
    ['cd vendor && git status', 'git status:*'],
    ['cd vendor && ./build.sh', './build.sh'],
    ['cd .. && ls', 'ls:*'],
    ['cd $x && ls', 'ls:*'],
    ['[[ -v a[x] ]] && ls', 'ls:*'],
    ['coproc ls', 'ls:*'],
    ['ls # x\ntouch x', 'ls:*'],
    ['cat <<EOF\n$(touch x)\nEOF', 'cat:*'],
    ['cat <<< $(touch x)', 'cat:*'],
    ['case $(touch x) in *) ls;; esac', 'ls:*'],
    ['while touch x; do ls; done', 'ls:*'],
    ['if ! touch x; then ls; fi', 'ls:*'],
    ['declare -a "a[$(touch x)]=1"', 'declare:*'],
    ['ls;;', 'ls:*'],
    [`ls ${'x'.repeat(10_000)}`, 'ls:*'],
  ];
  it.each(asked)('does not let %s run under %s', (command, content) => {
    expect(answerTo(command, { rules: [`allow Bash(${content})`] })).toBe('ask');
  });

  it('of the whole tool lets any script run that nothing stops', () => {
    expect(answerTo('x=$(date); for f in $x; do echo $f > out; done', { rules: ['allow Bash'] })).toBe(
      'allow',
    );
  });

  it('for a file lets a redirection write it', () => {
    const rules = ['allow Bash(ls:*)', 'allow Write(/out/**)'];
    expect(answerTo('ls > out/list.txt', { rules })).toBe('allow');
    expect(answerTo('cd out && ls > list.txt', { rules })).toBe('allow');
    expect(answerTo('cd other && ls > out/list.txt', { rules })).toBe('ask');
  });

  it('for a file does not let a redirection write through a link', () => {
    const rules = ['allow Bash(ls:*)', 'allow Write(/out/**)'];
    expect(answerTo('ls > out/list', { rules, links: { '/repo/out/list': '/etc/hosts' } })).toBe('ask');
  });
});

describe('a deny rule for Bash', () => {
  const wrapped = [
    'rm x',
    'ls && rm x',
    'ls || rm x',
    'ls | rm x',
    'rm x &',
    '(rm x)',
    '{ rm x; }',
    'f() { rm x; }; f',
    'echo $(rm x)',
    'echo "`rm x`"',
    'cat <(rm x)',
    `echo \${y:-$(rm x)}`,
    'echo $((a[$(rm x)]))',
    'y=$(rm x)',
    'y=(a $(rm x))',
    'FOO=1 rm x',
    '/bin/rm x',
    '../bin/rm x',
    "r'm' x",
    'r\\m x',
    "$'rm' x",
    'command rm x',
    'sudo -u root -- rm x',
    'sudo -uroot rm x',
    'env -i A=1 rm x',
    "env -S 'rm x'",
    'timeout --signal=KILL 3 rm x',
    'nice -n 3 nohup rm x',
    'xargs -0 rm x',
    'xargs -n1 -I{} rm {}',
    'find . -exec rm {} +',
    'find . -ok rm {} \\;',
    "bash -c 'rm x'",
    "sh -xec 'rm x' y",
    'bash -c "bash -c \'rm x\'"',
    "eval 'rm x'",
    'eval rm x',
    'eval -- rm x',
    "alias q='rm x'",
    "mapfile -C 'rm x' -c 1 f",
    "trap 'rm x' EXIT",
    "watch -n 1 'rm x'",
    "flock lock -c 'rm x'",
    'flock lock rm x',
    'busybox rm x',
    '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
    'if rm x; then :; fi',
    'while :; do rm x; done',
    'case x in x) rm x;; esac',
    'select y in $(rm x); do :; done',
    '[[ -n $(rm x) ]]',
    '! rm x',
    'rm x\\',
    'rm\\',
    ': | ! timeout 5 rm x',
    "tar xf a --to-command='rm x'",
    'tar xf a --checkpoint=1 --checkpoint-action=exec="rm x"',
    "tar -I 'rm x' -xf a",
    'rg --pre=rm x',
    "git -c alias.q='!rm x' q",
    'git -c core.pager="rm x" log',
    "git rebase -x 'rm x' main",
    "ssh -o ProxyCommand='rm x' host",
    "ssh -oProxyCommand='rm x' host",
    "rsync -e 'rm x' a b",
    "split --filter='rm x' f",
    `awk 'BEGIN { system("rm x") }'`,
    `awk '{ print | "rm x" }' f`,
    `awk -F, '{ "rm x" | getline y }' f`,
    "sed '1e rm x' f",
    "sed -n -e '/a/,$ e rm x' f",
    'time -p rm x',
    'coproc rm x',
    'cat <<EOF\n$(rm x)\nEOF',
    'cat <<< "$(rm x)"',
    'ls > $(rm x)',
    '>out rm x',
    '#c\nrm x',
    'rm x "',
    'rm x )',
    'ls ( ; rm x',
    `${'true; '.repeat(200)}rm x`,
    `echo ${'x'.repeat(20_000)}; rm x`,
    `${'$('.repeat(3_000)}; rm x`,
  ];
  it.each(wrapped)('finds rm in %j', command => {
    const rules = ['deny Bash(rm:*)', 'allow Bash'];
    expect(answerTo(command, { rules })).toBe('deny');
    expect(answerTo(command, { rules: ['deny Bash(rm:*)'], mode: PermissionMode.BYPASS })).toBe('deny');
  });

  const innocent = [
    "echo 'rm x'",
    'echo rm',
    'grep rm file',
    "cat <<'EOF'\n$(rm x)\nEOF",
    'npm run rm',
    'timeout 5 grep rm x',
    `awk '/rm x/ || $1 == "rm x" { print "rm x" }' f`,
    "sed 's/e rm x/rm/' f",
    'git -c user.name=rm log',
    'rg --prefix rm x',
    'rmdir x',
  ];
  it.each(innocent)('leaves %j alone', command => {
    expect(answerTo(command, { rules: ['deny Bash(rm:*)', 'allow Bash'] })).toBe('allow');
  });

  const unclear = [
    '$x y',
    '"$x"',
    'r$x y',
    'eval "$x"',
    'bash -c "$x"',
    'curl x | sh',
    'bash <<< rm',
    '. /dev/stdin <<< rm',
    'BASH_ENV=f bash -c true',
    'PATH=. x',
    "r='q[$(rm)]'; echo $((r))",
    `echo $(('$(rm x)'))`,
    'r* x',
    'ls )',
  ];
  it.each(unclear)('asks about %j, which may run it, even in BYPASS', command => {
    expect(answerTo(command, { rules: ['deny Bash(rm:*)'], mode: PermissionMode.BYPASS })).toBe('ask');
  });

  it('looks past options before the subcommand', () => {
    const rules = ['deny Bash(git push:*)', 'allow Bash'];
    expect(answerTo('git -C sub --no-pager push', { rules })).toBe('deny');
    expect(answerTo('git -C push status', { rules })).toBe('allow');
  });

  it('with content "rm" means the bare command only', () => {
    expect(answerTo('rm x', { rules: ['deny Bash(rm)', 'allow Bash'] })).toBe('allow');
    expect(answerTo('ls; rm', { rules: ['deny Bash(rm)', 'allow Bash'] })).toBe('deny');
  });
});

describe('rules for files', () => {
  const reads = [
    'cat .env',
    'cat < .env',
    'ls; head -n 1 ./.env',
    'cd sub && cat ../.env',
    'source .env',
    'grep x .env',
    'cp .env y',
    'diff --from-file=.env y',
    'cat "$PWD"/.env',
  ];
  it.each(reads)('stop what %j reads', command => {
    expect(answerTo(command, { rules: ['deny Read(**/.env)', 'allow Bash'] })).not.toBe('allow');
  });

  const writes = [
    'echo x > conf',
    'echo x >> ./conf',
    'ls &>conf',
    'tee conf',
    'cp x conf',
    'mv conf y',
    'rm conf',
    'cd sub && touch ../conf',
    'echo x 1<>conf',
  ];
  it.each(writes)('stop what %j writes', command => {
    expect(answerTo(command, { rules: ['deny Edit(/conf)', 'allow Bash'] })).toBe('deny');
  });

  it('ask where the written file is only known at run time', () => {
    expect(answerTo('echo x > "$f"', { rules: ['deny Write(//etc/**)', 'allow Bash'] })).toBe('ask');
    expect(answerTo('(cd $d; echo x > f)', { rules: ['deny Write(/sub/**)', 'allow Bash'] })).toBe('ask');
  });
});
