import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { addCounts, type Counts, NO_TESTS } from './counts.ts';
import { runVisibly } from './run-visibly.ts';

const packageSchema = z.object({ scripts: z.record(z.string(), z.string()) });

/** Runs each `check:…` script of package.json; each counts as one test. */
export async function runChecks(options: {
  readonly projectFolder: string;
  readonly signal: AbortSignal;
}): Promise<Counts> {
  const { projectFolder, signal } = options;
  const { scripts } = packageSchema.parse(
    JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')),
  );
  const names = Object.keys(scripts).filter(name => name.startsWith('check:'));
  console.log(`\n── checks: ${names.join(', ')}`);
  let counts = NO_TESTS;
  for (const name of names) {
    const exitCode = await runVisibly('npm', ['run', '--silent', name], {
      projectFolder,
      env: process.env,
      signal,
    });
    console.log(`${exitCode === 0 ? '✓' : '✗'} ${name}`);
    counts = addCounts(counts, {
      passed: exitCode === 0 ? 1 : 0,
      failed: exitCode === 0 ? 0 : 1,
      skipped: 0,
    });
  }
  return counts;
}
