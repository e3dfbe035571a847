import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seconds } from '../../cli/bootstrap/progress.mjs';
import { CommandFailure, EXIT_CODES } from '../../cli/command-failure.ts';
import { setUp } from '../../cli/setup/set-up.ts';
import { runChecks } from './checks.ts';
import { addCounts, type Counts, NO_TESTS, verdict } from './counts.ts';
import { runProject } from './vitest-project.ts';

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));
const PROJECTS = ['unit', 'integration', 'conformance', 'docker'] as const;

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

process.exitCode = await runAll(interrupted.signal).catch(error => {
  if (interrupted.signal.aborted) return EXIT_CODES.interrupted;
  console.error(error instanceof CommandFailure ? error.message : error);
  return EXIT_CODES.failed;
});

/** Sets up, checks and tests everything; the last line sums up. Returns the exit code. */
async function runAll(signal: AbortSignal): Promise<number> {
  const times: string[] = [];
  const timed = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const startedAtMs = performance.now();
    const result = await work();
    times.push(`${name} ${seconds(performance.now() - startedAtMs, 1)}`);
    return result;
  };
  const preparedMs = Number(process.env['TOOLGATE_PREPARED_MS'] ?? Number.NaN);
  if (Number.isFinite(preparedMs)) times.push(`packages and generated code ${seconds(preparedMs, 1)}`);
  const ready = await timed('set-up', () =>
    setUp({ projectFolder: PROJECT_FOLDER, output: process.stdout, signal }),
  );
  const reportFolder = join(PROJECT_FOLDER, '.toolgate', 'test-reports');
  mkdirSync(reportFolder, { recursive: true });
  const env = {
    ...process.env,
    // Its helper image cannot be pulled where no registry answers; tests remove what they made by themselves.
    TESTCONTAINERS_RYUK_DISABLED: 'true',
    DOCKER_HOST: `unix://${ready.dockerSocket}`,
  };
  const byPart = new Map<string, Counts>();
  byPart.set('checks', await timed('checks', () => runChecks({ projectFolder: PROJECT_FOLDER, signal })));
  for (const project of PROJECTS) {
    signal.throwIfAborted();
    const options = { project, projectFolder: PROJECT_FOLDER, reportFolder, env, signal };
    byPart.set(project, await timed(project, () => runProject(options)));
  }
  const all = [...byPart.values()].reduce(addCounts, NO_TESTS);
  const problems = verdict(all, byPart.get('docker') ?? NO_TESTS);
  console.log(`\nTimes: ${times.join(', ')}`);
  for (const problem of problems) console.error(problem);
  console.log(`${all.passed} passed, ${all.failed} failed, ${all.skipped} skipped`);
  return problems.length === 0 ? 0 : 1;
}
