import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isWithin, resolveRealPath } from '#toolbox/files/real-path.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'real-path-')));
  mkdirSync(join(folder, 'ws/deep'), { recursive: true });
  writeFileSync(join(folder, 'ws/file'), '');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a path through a link leads to the target', () => {
  symlinkSync('ws', join(folder, 'link'));
  expect(resolveRealPath(join(folder, 'link/file'))).toEqual({
    realPath: join(folder, 'ws/file'),
    exists: true,
  });
});

test('what does not exist is appended to its nearest existing parent', () => {
  symlinkSync(join(folder, 'ws'), join(folder, 'link'));
  expect(resolveRealPath(join(folder, 'link/new/er'))).toEqual({
    realPath: join(folder, 'ws/new/er'),
    exists: false,
  });
});

test('a link that points nowhere leads to where its target would be', () => {
  symlinkSync('../outside', join(folder, 'ws/dangling'));
  expect(resolveRealPath(join(folder, 'ws/dangling'))).toEqual({
    realPath: join(folder, 'outside'),
    exists: false,
  });
});

test('two dots after a link leave the target, not the link', () => {
  symlinkSync('ws/deep', join(folder, 'link'));
  expect(resolveRealPath(`${folder}/link/../file`)).toEqual({
    realPath: join(folder, 'ws/file'),
    exists: true,
  });
});

test('two dots after something missing come back to what exists', () => {
  expect(resolveRealPath(`${folder}/missing/../ws/file`)).toEqual({
    realPath: join(folder, 'ws/file'),
    exists: true,
  });
});

test('links in a circle are an error that names the path', () => {
  symlinkSync('b', join(folder, 'a'));
  symlinkSync('a', join(folder, 'b'));
  expect(() => resolveRealPath(join(folder, 'a'))).toThrow(`${join(folder, 'a')} runs in a circle`);
});

test('a folder whose name only begins like the other is outside', () => {
  expect(isWithin('/ws-private/key', '/ws')).toBe(false);
  expect(isWithin('/ws/key', '/ws')).toBe(true);
  expect(isWithin('/ws', '/ws')).toBe(true);
  expect(isWithin('/anything', '/')).toBe(true);
});
