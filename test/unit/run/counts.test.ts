import { describe, expect, it } from 'vitest';
import { countsOfReport, NO_TESTS, verdict } from '../../run/counts.ts';

function report(changes: object): string {
  return JSON.stringify({
    success: true,
    numFailedTests: 0,
    numPassedTests: 3,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ status: 'passed', assertionResults: [{}, {}, {}] }],
    ...changes,
  });
}

describe('the sum of a test run', () => {
  it('counts passed, failed and skipped tests', () => {
    const json = report({ numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 });
    expect(countsOfReport(json, 1)).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  it('counts a file that broke before its first test as a failure', () => {
    const testResults = [{ status: 'failed', assertionResults: [] }];
    expect(countsOfReport(report({ numPassedTests: 0, testResults }), 1)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
    });
  });

  it('counts a run that failed although every test passed as a failure', () => {
    expect(countsOfReport(report({}), 1).failed).toBe(1);
    expect(countsOfReport(report({}), 0).failed).toBe(0);
  });

  it('passes when something ran and nothing failed', () => {
    expect(verdict({ passed: 3, failed: 0, skipped: 1 }, NO_TESTS)).toEqual([]);
  });

  it('fails when a test failed, when a Docker test was skipped and when nothing ran', () => {
    expect(verdict({ passed: 3, failed: 1, skipped: 0 }, NO_TESTS)).toHaveLength(1);
    expect(verdict({ passed: 3, failed: 0, skipped: 1 }, { passed: 0, failed: 0, skipped: 1 })).toHaveLength(
      1,
    );
    expect(verdict(NO_TESTS, NO_TESTS)).toHaveLength(1);
  });
});
