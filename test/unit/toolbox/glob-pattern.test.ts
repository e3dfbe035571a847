import { expect, test } from 'vitest';
import { compileGlob, compileInclude } from '#toolbox/search/glob-pattern.ts';

test('a glob without a slash matches at any depth', () => {
  const glob = compileGlob('*.py');
  expect(glob.base).toBe('.');
  expect(['a.py', 'x/y/a.py', 'a.pyc'].map(glob.matches)).toEqual([true, true, false]);
});

test('fixed leading folders become the base, and what follows is matched below it', () => {
  const glob = compileGlob('.github/workflows/*.yml');
  expect(glob.base).toBe('.github/workflows');
  expect(['ci.yml', 'deep/ci.yml'].map(glob.matches)).toEqual([true, false]);
});

test('a glob that is a plain path matches that path', () => {
  const glob = compileGlob('src/main.ts');
  expect(glob.base).toBe('src');
  expect(['main.ts', 'main.tsx'].map(glob.matches)).toEqual([true, false]);
});

test('two stars take any number of folders, none too', () => {
  const glob = compileGlob('**/*.txt');
  expect(['a.txt', 'd/e/a.txt'].map(glob.matches)).toEqual([true, true]);
});

test('braces are alternatives', () => {
  const glob = compileInclude('*.{ts,tsx}');
  expect(['a.ts', 'd/b.tsx', 'c.js'].map(glob.matches)).toEqual([true, true, false]);
});

test('an include is matched as a whole', () => {
  const glob = compileInclude('pkg/**/*.py');
  expect(['pkg/a.py', 'pkg/deep/b.py', 'main.py'].map(glob.matches)).toEqual([true, true, false]);
});

test('dot entries match only where the glob names their dot', () => {
  expect(compileInclude('**/*.yml').matches('.hidden/a.yml')).toBe(false);
  expect(compileInclude('.hidden/*.yml').matches('.hidden/a.yml')).toBe(true);
  expect(compileInclude('.hidden/*.yml').namesDotEntries).toBe(true);
  expect(compileInclude('../x/*.yml').namesDotEntries).toBe(false);
});

test('an exclamation mark is a character, no negation', () => {
  expect(compileInclude('!a').matches('!a')).toBe(true);
  expect(compileInclude('!a').matches('b')).toBe(false);
});
