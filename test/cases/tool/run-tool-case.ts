import type { CasePlace } from './case-place.ts';
import { runApprovalCase } from './run-approval-case.ts';
import { runCallCase } from './run-call-case.ts';
import { runLoopCase } from './run-loop-case.ts';
import type { ToolCase } from './tool-case.ts';
import { skipped, type ToolVerdict } from './tool-verdict.ts';

/** The runner of each kind; a kind without one is skipped. */
const RUNNERS: ReadonlyMap<string, (toolCase: ToolCase, place: CasePlace) => Promise<ToolVerdict>> = new Map([
  ['a', runCallCase],
  ['b', runCallCase],
  ['c', runCallCase],
  ['d', runLoopCase],
  ['e', runLoopCase],
]);

/** Plays one case. */
export async function runToolCase(toolCase: ToolCase, place: CasePlace): Promise<ToolVerdict> {
  const run = 'approval_asked_for' in toolCase.call ? runApprovalCase : RUNNERS.get(toolCase.kind);
  return run === undefined ? skipped(`kind ${toolCase.kind} has no runner yet`) : await run(toolCase, place);
}
