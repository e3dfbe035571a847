import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { MatchKind, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { answerOf, answerTo, decideCall, stageOf, tools } from '#test/permission-calls.ts';

const lifted = { rules: ['allow Write', 'allow Read', 'allow Bash'], mode: PermissionMode.BYPASS };

describe('the safety floor asks, whatever rules and mode say,', () => {
  const writes = [
    '/repo/.git/hooks/pre-commit',
    '/repo/.GIT/config',
    '/repo/sub/.git/config',
    '/repo/.env',
    '/repo/.env.production',
    '/home/u/.ssh/authorized_keys',
    '/home/u/.bashrc',
    '/home/u/.aws/credentials',
    '/etc/passwd',
    '/etc/cron.d/job',
    '/dev/sda',
    '/proc/sysrq-trigger',
    '/proc/self/root/etc/shadow',
    '/repo/inv\u202egnp.sh',
    '/repo/zero\u200bwidth',
    '/repo/new\nline',
    `/repo/${'x'.repeat(5000)}`,
  ];
  it.each(writes)('before it writes %j', path => {
    const decision = decideCall(tools.write, { file_path: path }, lifted);
    expect([answerOf(decision), stageOf(decision)]).toEqual(['ask', 'SAFETY']);
  });

  it('before it writes through a link into a guarded place', () => {
    const links = { '/repo/a': '/home/u/.ssh/config' };
    expect(answerOf(decideCall(tools.write, { file_path: 'a' }, { ...lifted, links }))).toBe('ask');
    expect(answerTo('echo x > a', { ...lifted, links })).toBe('ask');
  });

  const reads = ['/home/u/.ssh/id_rsa', '/home/u/.netrc', '/etc/shadow', '/proc/1/environ'];
  it.each(reads)('before it reads %s', path => {
    expect(answerOf(decideCall(tools.read, { file_path: path }, lifted))).toBe('ask');
    expect(answerTo(`cat ${path}`, lifted)).toBe('ask');
  });

  const commands = [
    'rm -rf /',
    'rm -rf /*',
    'rm -fr ~',
    'rm -r -f "$HOME"/',
    'rm -rf -- $HOME/*',
    'rm -rf .',
    'rm -rf ../..',
    'rm -rf /etc',
    'rm -rf "$unset"/',
    'rm --recurs --force /usr',
    'cd / && rm -rf *',
    'sudo rm -rf /',
    "bash -c 'rm -rf /'",
    'chmod -R 777 /',
    'chown -R me ~',
    'mkfs.ext4 /dev/sda1',
    'dd if=x of=/dev/sda',
    'echo x > /dev/sda',
    'echo x >> ~/.bashrc',
    'tee -a ~/.profile',
    'cp x .git/hooks/pre-commit',
    'cd .git && touch config',
    'echo \u001b[2Khidden',
    'l\u0455 x',
    ':(){ :|:& };:',
  ];
  it.each(commands)('before it runs %j', command => {
    expect(answerTo(command, lifted)).toBe('ask');
  });
});

describe('the safety floor leaves alone', () => {
  const commands = [
    'rm -rf build',
    'rm -rf ./build/*',
    'rm -rf /tmp/work/x',
    'rm "$x"',
    'dd if=a of=b',
    'chmod -R u+x scripts',
    'ls > /dev/null 2>&1',
    'echo ~/.bashrc',
    'git status',
  ];
  it.each(commands)('%j', command => {
    expect(answerTo(command, lifted)).toBe('allow');
  });

  it('samples of environment files and names that only look guarded', () => {
    for (const path of ['/repo/.env.example', '/repo/.github/x.yml', '/repo/.gitignore', '/repo/environment'])
      expect(answerOf(decideCall(tools.write, { file_path: path }, lifted))).toBe('allow');
  });
});

it('the floor takes names that a tool adds', () => {
  const tool = create(ToolSpecSchema, {
    name: 'Deploy',
    permission: {
      matchFields: [{ pointer: '/file_path', kind: MatchKind.WRITE_PATH }],
      dangerousFiles: ['prod.cfg'],
      dangerousDirectories: ['Vault/'],
    },
  });
  expect(answerOf(decideCall(tool, { file_path: '/repo/prod.cfg' }, lifted))).toBe('ask');
  expect(answerOf(decideCall(tool, { file_path: '/repo/vault/x' }, lifted))).toBe('ask');
});

it('a reason shows deceptive characters escaped', () => {
  const decision = decideCall(tools.write, { file_path: '/repo/\u202ea' }, lifted);
  expect(decision.reason).toContain('\\u{202e}');
  expect(decision.reason).not.toContain('\u202e');
});

describe('what an operator adds to the floor', () => {
  const dangers = { files: ['Prices.csv'], directories: ['ledger/'], commands: ['terraform destroy:*'] };
  const asks = (command: string) => answerTo(command, { dangers, mode: PermissionMode.BYPASS });

  it.each(['echo > prices.csv', 'tee x/PRICES.csv', 'touch ledger/x', 'rm -r a/ledger/b'])(
    'stops %s',
    command => {
      expect(asks(command)).toBe('ask');
      expect(answerTo(command, { mode: PermissionMode.BYPASS })).toBe('allow');
    },
  );

  it.each(['terraform destroy', 'ls; sudo terraform destroy -auto-approve', '$x destroy'])(
    'stops %s',
    command => {
      expect(asks(command)).toBe('ask');
    },
  );

  it.each(['cat prices.csv', 'echo > prices.csv.bak', 'terraform plan'])('lets %s be', command => {
    expect(asks(command)).toBe('allow');
  });
});

describe('options that run a program', () => {
  const runs = [
    'tar xf a --to-command=true',
    'rg --pre ./x y',
    'sort --compress-prog=./x f',
    'git -c core.fsmonitor=./x status',
    'git -c core.sshCommand=./x fetch',
    `awk 'BEGIN { system("true") }'`,
    "sed 's/a/b/e' f",
    'sed 1e f',
    'ssh -o ProxyCommand=./x h',
    'git fetch --upload-pack ./x',
  ];
  it.each(runs)('%s needs a person in every mode', command => {
    expect(answerTo(command, lifted)).toBe('ask');
  });

  const others = [
    'find . -exec grep x {} +',
    'git -c core.pager=cat log',
    'git -c user.name=x commit',
    "sed 's/e/f/g;s/x/e/' f",
    `awk -F'|' '$1 ~ /a|b/ { print $2 "|" $3 }' f`,
    'tar czf a b',
    'ssh -o StrictHostKeyChecking=yes h',
  ];
  it.each(others)('%s does not', command => {
    expect(answerTo(command, lifted)).toBe('allow');
  });
});
