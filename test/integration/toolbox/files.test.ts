import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';

let sandbox: TestSandbox;
let workspace: string;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  workspace = sandbox.workspace();
});

afterAll(() => sandbox[Symbol.asyncDispose]());

function put(name: string, content: string | Buffer): string {
  const path = join(workspace, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const content = (name: string): string => readFileSync(join(workspace, name), 'utf8');

test('Write creates missing parents, Read numbers the lines, Edit changes one place', async () => {
  const written = await sandbox.call('Write', { file_path: 'new/deep/a.txt', content: 'one\ntwo\n' });
  expect(written.text).toBe('Created new/deep/a.txt (8 bytes).');
  expect((await sandbox.call('Read', { file_path: 'new/deep/a.txt' })).text).toBe('     1\tone\n     2\ttwo');
  const edit = { file_path: 'new/deep/a.txt', old_string: 'two', new_string: '$& 2' };
  expect((await sandbox.call('Edit', edit)).text).toBe('Edited new/deep/a.txt at line 2.');
  expect(content('new/deep/a.txt')).toBe('one\n$& 2\n');
});

test('Read gives a slice and says how it goes on', async () => {
  put('ten.txt', Array.from({ length: 10 }, (_, index) => `l${index + 1}\n`).join(''));
  const { text } = await sandbox.call('Read', { file_path: 'ten.txt', offset: 3, limit: 2 });
  expect(text).toBe('     3\tl3\n     4\tl4\n[Lines 3 to 4 of 10. Read on with offset 5 for more.]');
});

test('an offset past the end says how long the file is', async () => {
  put('five.txt', 'a\nb\nc\nd\ne\n');
  const { text } = await sandbox.call('Read', { file_path: 'five.txt', offset: 100 });
  expect(text).toBe('[five.txt has 5 lines; offset 100 lies past the last one.]');
});

test('a relative path starts at the working directory that Bash left', async () => {
  put('sub/here.txt', 'here\n');
  await sandbox.call('Bash', { command: 'cd sub' });
  expect((await sandbox.call('Read', { file_path: 'here.txt' })).text).toContain('here');
  await sandbox.call('Bash', { command: 'cd ..' });
});

test('a FIFO, a device and a folder get a plain error at once', async () => {
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  mkdirSync(join(workspace, 'folder'), { recursive: true });
  for (const [name, kind] of [
    ['pipe', 'named pipe'],
    ['folder', 'directory'],
  ]) {
    for (const [tool, input] of [
      ['Read', {}],
      ['Write', { content: 'x' }],
      ['Edit', { old_string: 'a', new_string: 'b' }],
    ] as const) {
      const { result, text } = await sandbox.call(tool, { file_path: name, ...input });
      expect(result.outcome).toBe(Outcome.ERROR);
      expect(text).toContain(kind);
    }
  }
});

test('what lies outside the workspace is neither read nor written, by name, by dots or by link', async () => {
  const outside = join(workspace, '../outside.txt');
  writeFileSync(outside, 'SECRET');
  symlinkSync(outside, join(workspace, 'leak'));
  symlinkSync(join(workspace, '../not-there'), join(workspace, 'dangling'));
  for (const file_path of [outside, '../outside.txt', 'leak']) {
    const { result, text } = await sandbox.call('Read', { file_path });
    expect(result.outcome).toBe(Outcome.ERROR);
    expect(text).not.toContain('SECRET');
    expect((await sandbox.call('Write', { file_path, content: 'x' })).result.outcome).toBe(Outcome.ERROR);
  }
  expect((await sandbox.call('Write', { file_path: 'dangling', content: 'x' })).result.outcome).toBe(
    Outcome.ERROR,
  );
  expect(readFileSync(outside, 'utf8')).toBe('SECRET');
  expect(existsSync(join(workspace, '../not-there'))).toBe(false);
});

test('a link inside the workspace is written through and stays a link', async () => {
  put('real.txt', 'port = 1\n');
  symlinkSync('real.txt', join(workspace, 'link.txt'));
  await sandbox.call('Edit', { file_path: 'link.txt', old_string: '1', new_string: '2' });
  expect(content('real.txt')).toBe('port = 2\n');
  expect(lstatSync(join(workspace, 'link.txt')).isSymbolicLink()).toBe(true);
});

test('an edit keeps the mode, and leaves no other file behind', async () => {
  const path = put('mode/run.sh', 'echo one\n');
  chmodSync(path, 0o755);
  await sandbox.call('Edit', { file_path: 'mode/run.sh', old_string: 'one', new_string: 'two' });
  expect(statSync(path).mode & 0o777).toBe(0o755);
  expect((await sandbox.call('Bash', { command: 'ls -A mode' })).text).toBe('run.sh');
});

test('a file that somebody else changed since it was read is not overwritten', async () => {
  const path = put('shared.txt', 'v1\n');
  await sandbox.call('Read', { file_path: 'shared.txt' });
  writeFileSync(path, 'v2\n');
  for (const [tool, input] of [
    ['Write', { content: 'mine' }],
    ['Edit', { old_string: 'v2', new_string: 'mine' }],
  ] as const) {
    const { result, text } = await sandbox.call(tool, { file_path: 'shared.txt', ...input });
    expect(result.outcome).toBe(Outcome.ERROR);
    expect(text).toContain('has changed since it was read');
  }
  expect(content('shared.txt')).toBe('v2\n');
});

test('a file that was only touched has not changed, nor has one the agent wrote itself', async () => {
  const path = put('touched.txt', 'a\n');
  await sandbox.call('Read', { file_path: 'touched.txt' });
  utimesSync(path, new Date(), new Date(Date.now() + 5000));
  for (const [old_string, new_string] of [
    ['a', 'b'],
    ['b', 'c'],
  ]) {
    const { result } = await sandbox.call('Edit', { file_path: 'touched.txt', old_string, new_string });
    expect(result.outcome).toBe(Outcome.SUCCESS);
  }
});

test('edits that come together all land', async () => {
  put('list.md', '- one\n- two\n- three\n');
  const edits = ['one', 'two', 'three'].map(word =>
    sandbox.call('Edit', { file_path: 'list.md', old_string: word, new_string: word.toUpperCase() }),
  );
  expect((await Promise.all(edits)).map(({ result }) => result.outcome)).toEqual([2, 2, 2]);
  expect(content('list.md')).toBe('- ONE\n- TWO\n- THREE\n');
});

test('an empty old_string creates a file and is refused on one that has content', async () => {
  const create = { file_path: 'fresh.txt', old_string: '', new_string: 'hello\n' };
  expect((await sandbox.call('Edit', create)).result.outcome).toBe(Outcome.SUCCESS);
  const { result, text } = await sandbox.call('Edit', { ...create, replace_all: true });
  expect(result.outcome).toBe(Outcome.ERROR);
  expect(text).toContain('old_string cannot be empty');
  expect(content('fresh.txt')).toBe('hello\n');
});

test('a match that is not unique is refused with the lines', async () => {
  put('twice.txt', 'x\ny\nx\n');
  const { text } = await sandbox.call('Edit', { file_path: 'twice.txt', old_string: 'x', new_string: 'z' });
  expect(text).toContain('occurs 2 times in twice.txt, at lines 1, 3');
});

test('a byte order mark is not shown, and stays', async () => {
  put('bom.md', Buffer.from('\ufeff# título\n- uno\n'));
  expect((await sandbox.call('Read', { file_path: 'bom.md' })).text).toBe('     1\t# título\n     2\t- uno');
  await sandbox.call('Edit', { file_path: 'bom.md', old_string: '# título\n- uno', new_string: '# x' });
  expect(content('bom.md')).toBe('\ufeff# x\n');
});

test('text that is not UTF-8 keeps its bytes, and what it cannot hold is refused', async () => {
  put('latin1.txt', Buffer.from([0x61, 0x3d, 0x31, 0x20, 0xe9, 0x0a]));
  const edit = (new_string: string) =>
    sandbox.call('Edit', { file_path: 'latin1.txt', old_string: 'a=1', new_string });
  expect((await edit('ä')).result.outcome).toBe(Outcome.ERROR);
  expect((await edit('a=2')).result.outcome).toBe(Outcome.SUCCESS);
  expect(
    readFileSync(join(workspace, 'latin1.txt')).equals(Buffer.from([0x61, 0x3d, 0x32, 0x20, 0xe9, 0x0a])),
  ).toBe(true);
  expect((await sandbox.call('Read', { file_path: 'latin1.txt' })).text).toContain('not valid UTF-8');
});

test('half of a surrogate pair is refused, not replaced', async () => {
  const { result } = await sandbox.call('Write', { file_path: 'half.txt', content: 'a\ud800b' });
  expect(result).toMatchObject({ outcome: Outcome.ERROR, reason: OutcomeReason.INVALID_ARGUMENTS });
  expect(existsSync(join(workspace, 'half.txt'))).toBe(false);
});

test('a binary file is named as such', async () => {
  put('program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]));
  expect((await sandbox.call('Read', { file_path: 'program' })).text).toBe(
    'program is a binary file of 7 bytes. Look into it with Bash.',
  );
});

test('a path that leads elsewhere than when the call was decided is refused and nothing is written', async () => {
  put('target.txt', 'before\n');
  put('other.txt', 'before\n');
  symlinkSync('other.txt', join(workspace, 'moving.txt'));
  const boundPaths = [{ path: 'moving.txt', realPath: join(workspace, 'target.txt') }];
  for (const [tool, input] of [
    ['Write', { file_path: 'moving.txt', content: 'after\n' }],
    ['Edit', { file_path: 'moving.txt', old_string: 'before', new_string: 'after' }],
    ['Read', { file_path: 'moving.txt' }],
    ['Bash', { command: 'echo after > moving.txt' }],
    ['Grep', { pattern: 'before', path: 'moving.txt' }],
  ] as const) {
    const { result } = await sandbox.call(tool, input, { boundPaths });
    expect(result).toMatchObject({ outcome: Outcome.ERROR, reason: OutcomeReason.FACTS_CHANGED });
  }
  expect([content('target.txt'), content('other.txt')]).toEqual(['before\n', 'before\n']);
  const unchanged = [{ path: 'moving.txt', realPath: join(workspace, 'other.txt') }];
  const { result } = await sandbox.call(
    'Write',
    { file_path: 'moving.txt', content: 'after\n' },
    { boundPaths: unchanged },
  );
  expect(result.outcome).toBe(Outcome.SUCCESS);
});

test('Inspect resolves paths from the working directory and touches nothing', async () => {
  put('facts/real.txt', '');
  symlinkSync('real.txt', join(workspace, 'facts/link.txt'));
  await sandbox.call('Bash', { command: 'cd facts' });
  const facts = await sandbox.client.inspect({
    sessionId: 'session one',
    paths: ['link.txt', 'new/file', '/etc/passwd'],
  });
  await sandbox.call('Bash', { command: 'cd ..' });
  expect(facts).toMatchObject({
    workingDirectory: join(workspace, 'facts'),
    workspaceRoot: workspace,
    paths: [
      { realPath: join(workspace, 'facts/real.txt'), exists: true },
      { realPath: join(workspace, 'facts/new/file'), exists: false },
      { path: '/etc/passwd', exists: true },
    ],
  });
  expect(existsSync(join(workspace, 'facts/new'))).toBe(false);
});

test('Inspect leaves out a path that leads nowhere, and still tells the others', async () => {
  symlinkSync('circle-b', join(workspace, 'circle-a'));
  symlinkSync('circle-a', join(workspace, 'circle-b'));
  const facts = await sandbox.client.inspect({ sessionId: 'session one', paths: ['circle-a', 'plain.txt'] });
  expect(facts.paths.map(({ path }) => path)).toEqual(['plain.txt']);
});
