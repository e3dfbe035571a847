import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolCases } from '#test/tool-cases.ts';
import { type CasePlace, startCasePlace } from '../../cases/tool/case-place.ts';
import { runToolCase } from '../../cases/tool/run-tool-case.ts';

let place: CasePlace;
beforeAll(async () => {
  place = await startCasePlace('LOCAL');
});
afterAll(() => place[Symbol.asyncDispose]());

test.each(toolCases('d'))('$id: "$symptom" does not happen', async toolCase => {
  expect(await runToolCase(toolCase, place)).toEqual({ kind: 'ran', problems: [] });
});
