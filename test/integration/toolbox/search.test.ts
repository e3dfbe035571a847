import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';

let sandbox: TestSandbox;
let sessions = 0;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});

afterAll(() => sandbox[Symbol.asyncDispose]());

/** A session of its own whose workspace holds these files. */
function project(files: Readonly<Record<string, string>>) {
  sessions += 1;
  const sessionId = `project ${sessions}`;
  const folder = sandbox.workspace(sessionId);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const search = async (tool: 'Glob' | 'Grep', input: unknown): Promise<string> => {
    const { text, result } = await sandbox.call(tool, input, { sessionId });
    return result.outcome === Outcome.SUCCESS ? text : `ERROR ${text}`;
  };
  return {
    folder,
    glob: (input: unknown) => search('Glob', input),
    grep: (input: unknown) => search('Grep', input),
  };
}

test('Glob lists sorted paths, at any depth for a glob without a slash', async () => {
  const { glob } = project({ 'b.py': '', 'a/z.py': '', 'a/b/c.py': '', 'a/x.txt': '' });
  expect(await glob({ pattern: '*.py' })).toBe('a/b/c.py\na/z.py\nb.py');
  expect(await glob({ pattern: '*.py', path: 'a' })).toBe('a/b/c.py\na/z.py');
  expect(await glob({ pattern: 'a/*.{py,txt}' })).toBe('a/x.txt\na/z.py');
});

test('a named dot folder is searched, others are not', async () => {
  const { glob, grep } = project({ '.ci/a.yml': 'on: push', 'b.yml': 'on: push', '.env': 'on: push' });
  expect(await glob({ pattern: '**/*.yml' })).toBe('b.yml');
  expect(await glob({ pattern: '.ci/*.yml' })).toBe('.ci/a.yml');
  expect(await glob({ pattern: '.env' })).toBe('.env');
  expect(await grep({ pattern: 'push', include: '.ci/*.yml' })).toBe('.ci/a.yml:1:on: push');
});

test('no match is a success, and one that only ignored files hold is said', async () => {
  const { folder, glob, grep } = project({
    '.gitignore': 'build/\n*.log\n',
    'build/x.txt': 'marker',
    'a.log': 'marker',
    'b.c': 'other',
  });
  execFileSync('git', ['init', '-q', folder]);
  expect(await grep({ pattern: 'zebra' })).toBe('No line matches zebra.');
  expect(await glob({ pattern: '*.zebra' })).toBe('No file matches *.zebra.');
  expect(await grep({ pattern: 'marker' })).toMatch(
    /No line matches marker, except in files that .gitignore excludes/,
  );
  expect(await glob({ pattern: '**/x.txt' })).toMatch(/No file matches .* except 1 that .gitignore excludes/);
  expect(await grep({ pattern: 'marker', path: 'build' })).toBe('build/x.txt:1:marker');
  expect(await glob({ pattern: '**/*' })).toBe('b.c');
});

test('a pattern that looks like an option is a pattern', async () => {
  const { grep } = project({ 'a.rs': 'fn go() -> Res\n--pre=x\n' });
  expect(await grep({ pattern: '-> Res' })).toBe('a.rs:1:fn go() -> Res');
  expect(await grep({ pattern: '--pre=x' })).toBe('a.rs:2:--pre=x');
});

test('context lines, case and odd file names come out right', async () => {
  const { grep } = project({ 'odd:12:name.txt': 'one\nTwo: 3\nthree\nfour\n' });
  expect(await grep({ pattern: 'two', ignore_case: true, context: 1 })).toBe(
    'odd:12:name.txt-1-one\nodd:12:name.txt:2:Two: 3\nodd:12:name.txt-3-three',
  );
});

test('the line number is the one that Read shows', async () => {
  const { grep } = project({ 'a.txt': 'x\ry\r\nneedle\r\n' });
  expect(await grep({ pattern: 'needle' })).toBe('a.txt:2:needle');
});

test('many matches are cut with a count, and a long line with a mark', async () => {
  const { grep } = project({
    'big.log': 'needle 7\n'.repeat(3000),
    'min.js': `var pin=1;${'x=1;'.repeat(100_000)}`,
  });
  const many = await grep({ pattern: 'needle' });
  expect(many).toContain('[The first 1000 of 3000 matching lines are shown. Narrow the search to see more.]');
  const long = await grep({ pattern: 'pin' });
  expect(long).toMatch(/^min\.js:1:var pin=1;/);
  expect(long.length).toBeLessThan(1000);
});

test('a bad pattern is an error that quotes the parser', async () => {
  expect(await project({ 'a.txt': 'x' }).grep({ pattern: '(' })).toMatch(/^ERROR .*unclosed group/s);
});

test('links neither loop nor lead out', async () => {
  const { folder, glob, grep } = project({ 'd/f.txt': 'inside' });
  writeFileSync(join(folder, '../outside.txt'), 'inside');
  symlinkSync('..', join(folder, 'd/loop'));
  symlinkSync('../..', join(folder, 'd/out'));
  expect(await glob({ pattern: '**/*.txt' })).toBe('d/f.txt');
  expect(await grep({ pattern: 'inside' })).toBe('d/f.txt:1:inside');
  expect(await grep({ pattern: 'inside', path: 'd/out' })).toMatch(/^ERROR .*outside the workspace/);
});

test('a start that does not exist is an error, a glob below nothing is not', async () => {
  const { glob, grep } = project({ 'a.txt': 'x' });
  expect(await grep({ pattern: 'x', path: 'missing' })).toBe('ERROR missing does not exist.');
  expect(await glob({ pattern: 'missing/*.txt' })).toBe('No file matches missing/*.txt.');
});
