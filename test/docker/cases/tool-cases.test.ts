import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolCases } from '#test/tool-cases.ts';
import { type CasePlace, startCasePlace } from '../../cases/tool/case-place.ts';
import { runToolCase } from '../../cases/tool/run-tool-case.ts';

let place: CasePlace;
beforeAll(async () => {
  place = await startCasePlace('DOCKER');
});
afterAll(() => place[Symbol.asyncDispose]());

// Beside the workspace of a container nothing can be put that a call could reach.
const cases = toolCases('abc').filter(
  ({ setup }) => !Object.keys(setup).some(path => path.startsWith('../')),
);

test.each(cases)('$id: "$symptom" does not happen in a container', async toolCase => {
  expect(await runToolCase(toolCase, place)).toEqual({ kind: 'ran', problems: [] });
});
