import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Counts, countsOfReport, NO_TESTS } from './counts.ts';
import { runVisibly } from './run-visibly.ts';

/** Runs one vitest project with live output and counts its tests. A project without test files counts nothing. */
export async function runProject(options: {
  readonly project: string;
  readonly projectFolder: string;
  readonly reportFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}): Promise<Counts> {
  const { project, projectFolder, env, signal } = options;
  const files = globSync(`test/${project}/**/*.test.ts`, { cwd: projectFolder });
  console.log(`\n── ${project}: ${files.length} test files`);
  if (files.length === 0) return NO_TESTS;
  const reportPath = join(options.reportFolder, `${project}.json`);
  rmSync(reportPath, { force: true });
  const exitCode = await runVisibly(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--project',
      project,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportPath}`,
    ],
    { projectFolder, env, signal },
  );
  // Without a report the run broke before its first test.
  if (!existsSync(reportPath)) return { passed: 0, failed: 1, skipped: 0 };
  return countsOfReport(readFileSync(reportPath, 'utf8'), exitCode);
}
