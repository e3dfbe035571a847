import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { checkFiles } from './check-files.ts';
import { historyProblems } from './check-history.ts';
import { checkRequest, unknownRequestKeys } from './check-request.ts';
import { textProblem } from './check-texts.ts';
import { type LoopOutcome, loopOutcome } from './loop-outcome.ts';
import type { PlayedLoop } from './play-loop.ts';
import { sentMessages } from './sent-messages.ts';
import type { CaseLoop } from './tool-case.ts';

interface Played {
  readonly loop: CaseLoop;
  readonly played: PlayedLoop;
  readonly outcome: LoopOutcome;
}

type Check = (played: Played, wanted: unknown) => string[] | Promise<string[]>;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['executed', ({ outcome }, wanted) => same('executed', outcome.executed, wanted)],
  ['executed_count', ({ outcome }, wanted) => same('executed_count', outcome.executed.length, wanted)],
  ['executed_count_max', ({ outcome }, wanted) => atMost('calls that ran', outcome.executed.length, wanted)],
  ['requests', ({ played }, wanted) => same('requests', played.requests.length, wanted)],
  ['requests_max', ({ played }, wanted) => atMost('requests', played.requests.length, wanted)],
  ['final_text', ({ outcome }, wanted) => same('final_text', outcome.finalText, wanted)],
  ['usage', ({ outcome }, wanted) => same('usage', outcome.usage, wanted)],
  ['asked_count', ({ outcome }, wanted) => same('asked_count', outcome.askedCount, wanted)],
  ['error_contains', ({ outcome }, wanted) => found(textProblem('contains', outcome.error, wanted))],
  ['error_contains_any', ({ outcome }, wanted) => found(textProblem('contains_any', outcome.error, wanted))],
  ['file', ({ played }, wanted) => checkFiles(played.workspace, wanted)],
  ['max_seconds', ({ played }, wanted) => atMost('seconds', played.seconds, wanted)],
  ['min_gap_s', checkGap],
  ['valid_history', checkHistory],
  [
    'request',
    ({ loop, played }, wanted) =>
      checkRequest(loop.provider, played.requests, z.looseObject({}).parse(wanted)),
  ],
]);

/** The expectations of a case that checkLoop does not know. */
export function unknownLoopKeys(expected: Readonly<Record<string, unknown>>): string[] {
  const request = z.looseObject({}).safeParse(expected['request']);
  const inRequest = request.success ? unknownRequestKeys(request.data).map(key => `request.${key}`) : [];
  return [...Object.keys(expected).filter(key => !CHECKS.has(key)), ...inRequest];
}

/** What is wrong with a conversation. */
export async function checkLoop(
  loop: CaseLoop,
  played: PlayedLoop,
  expected: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const context = { loop, played, outcome: loopOutcome(played) };
  const problems: string[] = [];
  for (const [key, wanted] of Object.entries(expected)) {
    problems.push(...((await CHECKS.get(key)?.(context, wanted)) ?? []));
  }
  return problems;
}

function checkHistory({ loop, played }: Played): string[] {
  return played.requests.flatMap(({ body }, index) =>
    historyProblems(sentMessages(loop.provider, body)).map(problem => `request ${index}: ${problem}`),
  );
}

function checkGap({ played }: Played, wanted: unknown): string[] {
  const [first, second] = played.requests;
  const gap = first === undefined || second === undefined ? 0 : (second.atMs - first.atMs) / 1000;
  return gap >= z.number().parse(wanted) ? [] : [`${gap} s between the first two requests`];
}

function same(what: string, actual: unknown, wanted: unknown): string[] {
  if (isDeepStrictEqual(actual, wanted)) return [];
  return [`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`];
}

function atMost(what: string, actual: number, wanted: unknown): string[] {
  return actual <= z.number().parse(wanted) ? [] : [`${actual} ${what}`];
}

function found(problem: string | undefined): string[] {
  return problem === undefined ? [] : [problem];
}
