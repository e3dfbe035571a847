import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestSandbox } from '#test/test-sandbox.ts';
import { startCaseSandbox } from '../../cases/tool/case-stack.ts';
import { runToolCase } from '../../cases/tool/run-tool-case.ts';
import { readToolCases } from '../../cases/tool/run-tool-cases.ts';

const file = new URL('../../cases/tool-cases.jsonl', import.meta.url);
const read = readToolCases(readFileSync(file, 'utf8').split('\n'), 'tool-cases.jsonl');
const cases = 'problem' in read ? [] : read.filter(toolCase => toolCase.kind === 'd');

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startCaseSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

test('there are quirks to try', () => {
  expect(cases.length).toBeGreaterThan(0);
});

test.each(cases)('$id: "$symptom" does not happen', async toolCase => {
  expect(await runToolCase(toolCase, sandbox)).toEqual({ kind: 'ran', problems: [] });
});
