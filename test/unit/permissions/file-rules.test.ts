import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { MatchKind, type ToolSpec, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { answerOf, answerTo, decideCall, type Situation, tools } from '#test/permission-calls.ts';

const read = (path: string, situation?: Situation) =>
  answerOf(decideCall(tools.read, { file_path: path }, situation));
const write = (path: string, situation?: Situation) =>
  answerOf(decideCall(tools.write, { file_path: path }, situation));

describe('reading without rules', () => {
  it('is allowed inside the workspace', () => {
    expect(read('/repo/src/a.ts')).toBe('allow');
    expect(read('src/a.ts')).toBe('allow');
    expect(read('/repo')).toBe('allow');
  });

  it('is asked outside of it, by name or by link', () => {
    expect(read('/repo2/a.ts')).toBe('ask');
    expect(read('../a.ts')).toBe('ask');
    expect(read('a.ts', { links: { '/repo/a.ts': '/var/a.ts' } })).toBe('ask');
    expect(read('/var/a.ts', { links: { '/var/a.ts': '/repo/a.ts' } })).toBe('ask');
  });

  it('is asked for files that usually hold secrets, until a rule allows them', () => {
    expect(read('.env')).toBe('ask');
    expect(read('.env.local')).toBe('ask');
    expect(read('.env.example')).toBe('allow');
    expect(read('.env', { rules: ['allow Read(.env)'] })).toBe('allow');
  });
});

describe('an allow rule for files', () => {
  const matching = [
    ['/src/**', '/repo/src/deep/a.ts'],
    ['src/**', '/repo/src/a.ts'],
    ['./src/**', 'src/a.ts'],
    ['//data/**', '/data/a'],
    ['~/notes/*.md', '/home/u/notes/a.md'],
    ['**/*.ts', '/repo/a/b.ts'],
  ];
  it.each(matching)('%s covers %s', (content, path) => {
    expect(write(path, { rules: [`allow Write(${content})`] })).toBe('allow');
  });

  const others = [
    ['/src/**', '/src/a.ts'],
    ['src/**', '/repo/lib/src/a.ts'],
    ['src', '/repo/lib/src'],
    ['/src/**', '/repo/src/../other/a.ts'],
    ['/SRC/**', '/repo/src/a.ts'],
    ['//data/**', '/database'],
    ['~/notes/**', '/home/v/notes/a'],
    ['!/src/**', '/repo/src/a.ts'],
    ['#a', '/repo/a'],
    ['/src/*.ts', '/repo/src/deep/a.ts'],
  ];
  it.each(others)('%s does not cover %s', (content, path) => {
    expect(write(path, { rules: [`allow Write(${content})`] })).toBe('ask');
  });

  it('covers a link only where the target is covered too', () => {
    const rules = ['allow Write(/src/**)'];
    expect(write('src/a', { rules, links: { '/repo/src/a': '/repo/other/a' } })).toBe('ask');
    expect(write('src/a', { rules, links: { '/repo/src/a': '/repo/src/b' } })).toBe('allow');
  });

  it('covers nothing where the real path is not known', () => {
    const input = { file_path: 'src/a', other: true };
    expect(answerOf(decideCall(tools.edit, input, { rules: ['allow Write(/src/**)'] }))).toBe('ask');
  });
});

describe('a deny rule for files', () => {
  const matching = [
    ['secret', '/repo/a/secret/key'],
    ['secret/**', '/repo/a/secret/key'],
    ['secret/', '/repo/secret'],
    ['/secret/**', '/repo//secret/./key'],
    ['/Secret/**', '/repo/secret/key'],
    ['*.pem', '/repo/a/b.pem'],
    ['//**/id_rsa', '/x/y/id_rsa'],
  ];
  it.each(matching)('%s stops %s', (content, path) => {
    expect(read(path, { rules: [`deny Read(${content})`, 'allow Read'] })).toBe('deny');
  });

  it('stops a link into what it names, and a link that it names', () => {
    const links = { '/repo/key': '/home/u/secret/key' };
    expect(read('key', { rules: ['deny Read(~/secret/**)', 'allow Read'], links })).toBe('deny');
    expect(read('key', { rules: ['deny Read(/key)', 'allow Read'], links })).toBe('deny');
  });

  it('for Edit also stops Write, and the other way round', () => {
    expect(write('/repo/a', { rules: ['deny Edit(/a)', 'allow Write'] })).toBe('deny');
    expect(answerOf(decideCall(tools.edit, { file_path: 'a' }, { rules: ['deny write_file(/a)'] }))).toBe(
      'deny',
    );
  });

  it('never fails on a path outside its anchor', () => {
    for (const path of ['/', '..', '../..', '/repo', '', './', '/repo/../repo'])
      expect(read(path, { rules: ['deny Read(./x/**)', 'deny Read(/y)', 'ask Read(~/z)'] })).not.toBe('deny');
  });
});

describe('a working directory that the model has moved', () => {
  it('does not move what a relative rule stops', () => {
    const rules = ['deny Read(.env)', 'deny Read(./keys/**)', 'allow Read'];
    expect(read('/repo/.env', { rules, workingDirectory: '/repo/sub' })).toBe('deny');
    expect(read('/repo/keys/a', { rules, workingDirectory: '/tmp' })).toBe('deny');
    expect(read('.env', { rules, workingDirectory: '/tmp' })).toBe('deny');
  });

  it('does not move what a relative rule allows out of the workspace', () => {
    expect(write('x', { rules: ['allow Write(./**)'], workingDirectory: '/var' })).toBe('ask');
    expect(write('x', { rules: ['allow Write(./**)'], workingDirectory: '/repo/sub' })).toBe('allow');
  });
});

describe('ACCEPT_EDITS', () => {
  const mode = PermissionMode.ACCEPT_EDITS;
  it('lets file tools write inside the workspace, by name and really', () => {
    expect(write('/repo/src/a.ts', { mode })).toBe('allow');
    expect(write('/repo2/a.ts', { mode })).toBe('ask');
    expect(write('src/a.ts', { mode, links: { '/repo/src/a.ts': '/etc/hosts' } })).toBe('ask');
  });

  it('does not lift the floor', () => {
    expect(write('/repo/.git/config', { mode })).toBe('ask');
  });
});

describe('searching a folder', () => {
  const search: ToolSpec = create(ToolSpecSchema, {
    name: 'Grep',
    hints: { readOnly: true },
    permission: {
      matchFields: [
        { pointer: '/path', kind: MatchKind.SEARCH_PATH },
        { pointer: '/include', kind: MatchKind.READ_PATH },
      ],
    },
  });
  const grep = (input: Record<string, unknown>, rules: string[] = []) =>
    answerOf(decideCall(search, { pattern: 'x', ...input }, { rules }));

  it('is allowed inside the workspace, also without a folder', () => {
    expect(grep({})).toBe('allow');
    expect(grep({ path: 'src', include: '*.ts' })).toBe('allow');
    expect(grep({ path: '/etc' })).toBe('ask');
  });

  it('asks where a file that may not be read can lie below', () => {
    expect(grep({}, ['deny Read(secrets/**)'])).toBe('ask');
    expect(grep({ path: 'src' }, ['deny Read(*.pem)'])).toBe('ask');
    expect(grep({}, ['deny Read(/src/deep/key)'])).toBe('ask');
    expect(grep({ path: 'docs' }, ['deny Read(/src/deep/key)'])).toBe('allow');
    expect(grep({}, ['deny Read(~/.aws/**)'])).toBe('allow');
  });

  it('is denied in what may not be read, and asked for names of secrets', () => {
    expect(grep({ path: 'secrets' }, ['deny Read(/secrets/**)'])).toBe('deny');
    expect(grep({ include: 'secrets/*' }, ['deny Read(/secrets/**)'])).toBe('deny');
    expect(grep({ include: '.env' })).toBe('ask');
  });
});

describe('a pattern that is empty', () => {
  it('does not pass the file off as the pattern', () => {
    const rules = ['deny Read(secrets/**)', 'allow Bash'];
    for (const command of [
      "grep '' secrets/key",
      "grep -e '' secrets/key",
      "sed '' secrets/key",
      "jq '' secrets/key",
    ]) {
      expect(answerTo(command, { rules })).toBe('deny');
    }
  });
});
