import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolCases } from '#test/tool-cases.ts';
import { type CasePlace, startCasePlace } from '../../cases/tool/case-place.ts';
import { runToolCase } from '../../cases/tool/run-tool-case.ts';

let place: CasePlace;
beforeAll(async () => {
  place = await startCasePlace('LOCAL');
});
afterAll(() => place[Symbol.asyncDispose]());

// A request for approval does not expire yet.
const cases = toolCases('abce').filter(({ setup }) => !('@approval_timeout_ms' in setup));

test.each(cases)('$id: "$symptom" does not happen without a container', async toolCase => {
  expect(await runToolCase(toolCase, place)).toEqual({ kind: 'ran', problems: [] });
});
