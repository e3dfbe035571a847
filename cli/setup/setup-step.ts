import { startProgress } from '../bootstrap/progress.mjs';
import type { TextOutput } from '../cli-io.ts';

/** One thing that must be there before anything starts. */
export interface SetupStep {
  /** Shown while it is checked and made, for example "Docker". */
  readonly title: string;
  /** Shown when it is there, for example "Docker ready". */
  readonly readyTitle: string;
  /** True when nothing is left to do; changes nothing. */
  isDone(signal: AbortSignal): Promise<boolean>;
  /** Makes it; `detail` tells a person what is happening. Throws a CommandFailure that says what to do by hand. */
  run(detail: (text: string) => void, signal: AbortSignal): Promise<void>;
}

/** Does the steps in order and shows each with the time it took. Stops at the first that fails. */
export async function runSteps(
  steps: readonly SetupStep[],
  options: { readonly output: TextOutput; readonly signal: AbortSignal },
): Promise<void> {
  for (const step of steps) {
    const progress = startProgress({ title: step.title, output: options.output });
    try {
      if (!(await step.isDone(options.signal))) {
        await step.run(progress.detail, options.signal);
      }
    } catch (error) {
      progress.fail();
      throw error;
    }
    progress.done(step.readyTitle);
  }
}
