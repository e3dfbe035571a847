import { z } from 'zod';
import type { CasePlace } from './case-place.ts';
import { startCaseStack } from './case-stack.ts';
import { checkLoop, unknownLoopKeys } from './check-loop.ts';
import { playLoop } from './play-loop.ts';
import { parseLoop, type ToolCase } from './tool-case.ts';
import { skipped, type ToolVerdict } from './tool-verdict.ts';

/** Settings that the runner of conversations heeds. */
const KNOWN_SETTINGS: ReadonlySet<string> = new Set(['@gate']);

/** Plays a case that is a conversation with a scripted model. */
export async function runLoopCase(toolCase: ToolCase, place: CasePlace): Promise<ToolVerdict> {
  const { setup, expect } = toolCase;
  if (toolCase.call['loop'] === undefined) return skipped('it is no conversation with a model');
  const setting = Object.keys(setup).find(key => key.startsWith('@') && !KNOWN_SETTINGS.has(key));
  if (setting !== undefined) return skipped(`the setting ${setting} is not known to this runner`);
  const [unknown] = unknownLoopKeys(expect);
  if (unknown !== undefined) return skipped(`the expectation ${unknown} is not known to this runner`);
  const loop = parseLoop(toolCase.call['loop']);
  if ('problem' in loop) return skipped(String(loop.problem));
  const gated = z.array(z.string()).default([]).parse(setup['@gate']);
  await using stack = await startCaseStack(loop, gated, place);
  return { kind: 'ran', problems: await checkLoop(loop, await playLoop(stack, loop, setup), expect) };
}
