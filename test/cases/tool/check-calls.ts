import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { CaseWorkspace } from './case-workspace.ts';
import { checkFiles } from './check-files.ts';
import { textProblem } from './check-texts.ts';
import type { PlayedStep } from './play-calls.ts';

type Expected = Readonly<Record<string, unknown>>;

/** What a case came to. */
export interface PlayedCalls {
  readonly steps: readonly PlayedStep[];
  /** The step that expectations without a number speak of. */
  readonly step: PlayedStep;
  readonly workspace: CaseWorkspace;
  readonly seconds: number;
  /** Files that the case put there. */
  readonly ownFiles: readonly string[];
}

type Check = (played: PlayedCalls, wanted: unknown, expected: Expected) => string[] | Promise<string[]>;

const text =
  (name: string): Check =>
  ({ step }, wanted) =>
    found(textProblem(name, step?.text ?? '', wanted));
const expectation = z.record(z.string(), z.unknown());

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['state', checkState],
  ['exit_code', checkExitCode],
  ['output_contains', text('contains')],
  ['output_contains_any', text('contains_any')],
  ['output_not_contains', text('not_contains')],
  [
    'output_matches',
    ({ step }, wanted) => isTrue(new RegExp(String(wanted), 'm').test(step?.text ?? ''), 'output_matches'),
  ],
  [
    'output_max_bytes',
    ({ step }, wanted) => isTrue(Buffer.byteLength(step?.text ?? '') <= Number(wanted), 'output_max_bytes'),
  ],
  [
    'output_lines_min',
    ({ step }, wanted) => isTrue((step?.text ?? '').split('\n').length >= Number(wanted), 'output_lines_min'),
  ],
  ['file', ({ workspace }, wanted) => checkFiles(workspace, wanted)],
  ['file_size', checkSizes],
  ['no_extra_files', checkExtraFiles],
  ['max_seconds', ({ seconds }, wanted) => isTrue(seconds <= Number(wanted), `${seconds} seconds`)],
  ['no_process_with', checkProcesses],
  ['process_check_after_s', () => []],
  ['success_iff_applied', checkApplied],
  [
    'if_all_success',
    (played, wanted) => (played.steps.every(succeeded) ? checkCalls(played, expectation.parse(wanted)) : []),
  ],
  ['any_of', checkAnyOf],
  [
    'not',
    async (played, wanted) => isTrue((await checkCalls(played, expectation.parse(wanted))).length > 0, 'not'),
  ],
  ['per_step', checkEach],
  ['per_variant', checkEach],
]);

/** The expectations that checkCalls does not know. */
export function unknownCallKeys(expected: Expected): string[] {
  return Object.keys(expected).filter(key => !CHECKS.has(key));
}

/** What is wrong with what a case came to. */
export async function checkCalls(played: PlayedCalls, expected: Expected): Promise<string[]> {
  const problems: string[] = [];
  for (const [key, wanted] of Object.entries(expected)) {
    problems.push(...((await CHECKS.get(key)?.(played, wanted, expected)) ?? [`${key} is not known`]));
  }
  return problems;
}

function checkState({ step }: PlayedCalls, wanted: unknown): string[] {
  const state = succeeded(step) ? 'success' : 'error';
  return isTrue(state === wanted, `state ${state}: ${step?.text.slice(0, 400)}`);
}

function checkExitCode({ step }: PlayedCalls, wanted: unknown): string[] {
  const { exitCode } = step?.result ?? {};
  const isSaid = exitCode === undefined && new RegExp(`\\b${wanted}\\b`).test(step?.text ?? '');
  return isTrue(exitCode === wanted || isSaid, `exit code ${exitCode}`);
}

async function checkSizes({ workspace }: PlayedCalls, wanted: unknown): Promise<string[]> {
  const sizes = Object.entries(z.record(z.string(), z.number()).parse(wanted));
  const files = await Promise.all(sizes.map(([path]) => workspace.find(path)));
  return sizes.flatMap(([path, size], index) =>
    isTrue(files[index]?.bytes.length === size, `size of ${path}`),
  );
}

async function checkExtraFiles({ workspace, ownFiles }: PlayedCalls): Promise<string[]> {
  const extra = (await workspace.list()).filter(path => !ownFiles.includes(path));
  return isTrue(extra.length === 0, `extra files ${extra.join(', ')}`);
}

async function checkProcesses(
  { workspace }: PlayedCalls,
  wanted: unknown,
  expected: Expected,
): Promise<string[]> {
  await sleep(Number(expected['process_check_after_s'] ?? 0) * 1000);
  const commands = await workspace.processes();
  const left = z
    .array(z.string())
    .parse(wanted)
    .filter(piece => commands.some(line => line.startsWith(piece)));
  return isTrue(left.length === 0, `processes left: ${left.join(', ')}`);
}

async function checkApplied({ workspace, steps }: PlayedCalls, wanted: unknown): Promise<string[]> {
  const edits = z.array(z.tuple([z.string(), z.string()])).parse(wanted);
  const files = await Promise.all(edits.map(([path]) => workspace.find(path)));
  return edits.flatMap(([path, piece], index) => {
    const isApplied = files[index]?.bytes.toString('utf8').includes(piece) === true;
    return isTrue(isApplied === succeeded(steps[index]), `${path}: "${piece}" is not as its call said`);
  });
}

async function checkAnyOf(played: PlayedCalls, wanted: unknown): Promise<string[]> {
  const alternatives = await Promise.all(
    z
      .array(expectation)
      .parse(wanted)
      .map(one => checkCalls(played, one)),
  );
  return alternatives.some(problems => problems.length === 0) ? [] : alternatives.flat();
}

async function checkEach(played: PlayedCalls, wanted: unknown): Promise<string[]> {
  const demands = z.array(expectation.nullable()).parse(wanted);
  const problems = await Promise.all(
    demands.map((demand, index) => checkCalls({ ...played, step: played.steps[index] }, demand ?? {})),
  );
  return problems.flatMap((list, index) => list.map(problem => `step ${index}: ${problem}`));
}

function succeeded(step: PlayedStep): boolean {
  return step?.result.outcome === Outcome.SUCCESS;
}

function isTrue(holds: boolean, what: string): string[] {
  return holds ? [] : [`this does not hold: ${what}`];
}

function found(problem: string | undefined): string[] {
  return problem === undefined ? [] : [problem];
}
