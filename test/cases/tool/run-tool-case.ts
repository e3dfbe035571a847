import { z } from 'zod';
import type { TestSandbox } from '#test/test-sandbox.ts';
import { startCaseStack } from './case-stack.ts';
import { checkLoop, unknownLoopKeys } from './check-loop.ts';
import { playLoop } from './play-loop.ts';
import { type CaseLoop, parseLoop, type ToolCase } from './tool-case.ts';

/** What became of a case: passed without a problem, failed with some, or skipped with a reason. */
export type ToolVerdict =
  | { readonly kind: 'ran'; readonly problems: readonly string[] }
  | { readonly kind: 'skipped'; readonly reason: string };

/** Runs the cases of one kind. */
type CaseRunner = (toolCase: ToolCase, sandbox: TestSandbox) => Promise<ToolVerdict>;

/** The runner of each kind; a kind without one is skipped. */
const RUNNERS: ReadonlyMap<string, CaseRunner> = new Map([
  ['d', runLoopCase],
  ['e', runLoopCase],
]);

/** Settings that the runner of conversations heeds. */
const KNOWN_SETTINGS: ReadonlySet<string> = new Set(['@gate']);

/** Runs one case. */
export async function runToolCase(toolCase: ToolCase, sandbox: TestSandbox): Promise<ToolVerdict> {
  const runner = RUNNERS.get(toolCase.kind);
  if (runner === undefined) return skipped(`kind ${toolCase.kind} has no runner yet`);
  return await runner(toolCase, sandbox);
}

async function runLoopCase(toolCase: ToolCase, sandbox: TestSandbox): Promise<ToolVerdict> {
  const { setup, expect } = toolCase;
  if (toolCase.call.loop === undefined) return skipped('it is no conversation with a model');
  const setting = Object.keys(setup).find(key => key.startsWith('@') && !KNOWN_SETTINGS.has(key));
  if (setting !== undefined) return skipped(`the setting ${setting} is not known to this runner`);
  const [unknown] = unknownLoopKeys(expect);
  if (unknown !== undefined) return skipped(`the expectation ${unknown} is not known to this runner`);
  const loop = parseLoop(toolCase.call.loop);
  if ('problem' in loop) return skipped(String(loop.problem));
  return { kind: 'ran', problems: await problemsOf(toolCase, loop, sandbox) };
}

async function problemsOf(
  { setup, expect }: ToolCase,
  loop: CaseLoop,
  sandbox: TestSandbox,
): Promise<string[]> {
  const gated = z.array(z.string()).default([]).parse(setup['@gate']);
  await using stack = await startCaseStack(loop, gated, sandbox);
  return checkLoop(loop, await playLoop(stack, loop, setup), expect);
}

function skipped(reason: string): ToolVerdict {
  return { kind: 'skipped', reason };
}
