import { z } from 'zod';

/** How many tests ended in which way. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts of nothing. */
export const NO_TESTS: Counts = { passed: 0, failed: 0, skipped: 0 };

const reportSchema = z.object({
  success: z.boolean(),
  numFailedTests: z.number(),
  numPassedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

/** Adds two counts. */
export function addCounts(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}

/**
 * The counts of one run from its JSON report. A file that failed without any test in it counts as one failed test, and
 * so does a run that failed for a reason no test shows, such as an unhandled error.
 */
export function countsOfReport(reportJson: string, exitCode: number): Counts {
  const report = reportSchema.parse(JSON.parse(reportJson));
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** What makes the whole run a failure, a sentence each; nothing when it passed. */
export function verdict(all: Counts, docker: Counts): string[] {
  const problems: string[] = [];
  if (all.failed > 0) problems.push(`Failed: ${all.failed} tests or checks, shown above.`);
  if (docker.skipped > 0) problems.push(`Failed: ${docker.skipped} Docker tests were skipped; none may be.`);
  if (all.passed + all.failed === 0) problems.push('Failed: nothing ran.');
  return problems;
}
