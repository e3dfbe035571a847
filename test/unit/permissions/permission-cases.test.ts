import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgeCase } from '../../cases/judge-case.ts';
import { readCaseFile } from '../../cases/permission-case.ts';

const file = new URL('../../cases/permission-cases.jsonl', import.meta.url);
const read = readCaseFile(readFileSync(file, 'utf8'), 'permission-cases.jsonl');
if (read.kind !== 'permission') throw new Error(read.problem);
const verdicts = read.cases.map(judgeCase);

describe('the published bypasses, false prompts and path cases', () => {
  it('are all read', () => {
    expect(verdicts).toHaveLength(172);
  });

  it.each(verdicts.map(verdict => [verdict.permissionCase.id, verdict] as const))(
    '%s is decided as it must be',
    (_, { passed, behavior, permissionCase, decision }) => {
      expect(passed, `expected ${permissionCase.expect}, got ${behavior}: ${decision.reason}`).toBe(true);
    },
  );
});

describe('a file of cases', () => {
  it('of tools is answered with a sentence', () => {
    const text = '{"id": "x", "tool": "Read", "input": {}, "expect": {}}\n';
    expect(readCaseFile(text, 'tools.jsonl')).toEqual({
      kind: 'unsupported',
      problem: 'tools.jsonl holds tool cases, which are not supported yet; give a file of permission cases.',
    });
  });

  it.each(['no json', '{"id": "x", "rules": [], "mode": "NONE"}', '', '[]'])(
    '%j names what is wrong',
    text => {
      const result = readCaseFile(text, 'f.jsonl');
      expect(result.kind).toBe('unsupported');
      expect(result.kind === 'unsupported' && result.problem).toContain('f.jsonl');
    },
  );
});
