import { z } from 'zod';
import { repeatedText } from './fill-workspace.ts';

const stepSchema = z.union([
  z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()) }),
  z.strictObject({ external: z.record(z.string(), z.unknown()) }),
]);

const toolStep = z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()) });
const readFirst = { no_read_first: z.boolean().default(false) };

const callsSchema = z.union([
  z.strictObject({ ...toolStep.shape, ...readFirst }),
  z.strictObject({ steps: z.array(stepSchema), ...readFirst }),
  z.strictObject({ parallel: z.array(toolStep), ...readFirst }),
  z.strictObject({ variants: z.array(toolStep), ...readFirst }),
]);

/** A call of a tool, or a change behind the back of the tools. */
export type CaseStep = z.infer<typeof stepSchema>;

/** What a case does. */
export interface CaseCalls {
  readonly order: 'one after the other' | 'together' | 'each alone';
  readonly steps: readonly CaseStep[];
  readonly noReadFirst: boolean;
}

/** Reads what a case does; `workspace` stands for "{ws}". */
export function parseCalls(value: unknown): CaseCalls | { readonly problem: string } {
  const parsed = callsSchema.safeParse(value);
  if (!parsed.success) return { problem: 'its calls are not of a kind that this runner knows' };
  const { no_read_first: noReadFirst, ...calls } = parsed.data;
  if ('parallel' in calls) return { order: 'together', steps: calls.parallel, noReadFirst };
  if ('variants' in calls) return { order: 'each alone', steps: calls.variants, noReadFirst };
  const steps = 'steps' in calls ? calls.steps : [calls];
  return { order: 'one after the other', steps, noReadFirst };
}

/** A value with "{ws}" and "@repeat" filled in. */
export function fillHoles(value: unknown, workspace: string): unknown {
  if (typeof value === 'string') return value.replaceAll('{ws}', workspace);
  if (Array.isArray(value)) return value.map(item => fillHoles(item, workspace));
  if (typeof value !== 'object' || value === null) return value;
  if ('@repeat' in value) return repeatedText(value['@repeat']);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillHoles(item, workspace)]));
}
