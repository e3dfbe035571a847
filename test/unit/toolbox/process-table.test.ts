import { expect, test } from 'vitest';
import { parseStat, readProcess } from '#toolbox/shell/process-table.ts';

const REST = '1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0';

test('a process name with spaces and parentheses does not shift the fields', () => {
  expect(parseStat(`42 (a) b (c) S ${REST}`)).toEqual({
    pid: 42,
    name: 'a) b (c',
    parentPid: 1,
    groupId: 2,
    sessionId: 3,
    startTicks: 4711,
  });
});

test('a zombie is no living process', () => {
  expect(parseStat(`42 (sh) Z ${REST}`)).toBeUndefined();
});

test('this process is found with its parent', () => {
  expect(readProcess(process.pid)).toMatchObject({ pid: process.pid, parentPid: process.ppid });
});
