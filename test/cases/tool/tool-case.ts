import { z } from 'zod';

const replySchema = z.looseObject({
  stream: z.array(z.looseObject({})).optional(),
  json: z.looseObject({}).optional(),
  sse_raw: z.string().optional(),
  status: z.int().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  times: z.int().min(1).optional(),
  repeat_for_ever: z.boolean().optional(),
});

const toolSchema = z.looseObject({
  name: z.string(),
  description: z.string().default(''),
  parameters: z.looseObject({}).default({ type: 'object' }),
  returns: z.unknown(),
});

const answerSchema = z.strictObject({
  call: z.string(),
  decision: z.enum(['approve', 'deny', 'edit']),
  input: z.looseObject({}).optional(),
  reason: z.string().default(''),
  after_ms: z.number().default(0),
});

const loopSchema = z.looseObject({
  provider: z.enum(['openai', 'anthropic']),
  user: z.string(),
  replies: z.array(replySchema),
  tools: z.array(toolSchema).default([]),
  answers: z.array(answerSchema).default([]),
  following: z
    .array(
      z.union([
        z.strictObject({ cancel_after_ms: z.number() }),
        z.strictObject({ wait_ms: z.number() }),
        z.strictObject({ user: z.string() }),
      ]),
    )
    .default([]),
  stream: z.boolean().optional(),
});

const toolCaseSchema = z.looseObject({
  id: z.string(),
  kind: z.string().regex(/^[a-f]$/),
  symptom: z.string().default(''),
  setup: z.record(z.string(), z.unknown()).default({}),
  call: z.looseObject({}),
  expect: z.looseObject({}),
});

/** One line of a tool case file: a workspace, what is done in it, and what must come of it. */
export type ToolCase = z.infer<typeof toolCaseSchema>;

/** A conversation with a scripted model. */
export type CaseLoop = z.infer<typeof loopSchema>;

/** One reply of the scripted model. */
export type CaseReply = z.infer<typeof replySchema>;

/** The case of a line, or what is wrong with it. */
export function parseToolCase(value: unknown): ToolCase | { readonly problem: string } {
  const parsed = toolCaseSchema.safeParse(value);
  return parsed.success ? parsed.data : { problem: oneLine(parsed.error) };
}

/** The conversation of a case, or why this runner cannot hold it. */
export function parseLoop(value: unknown): CaseLoop | { readonly problem: string } {
  // An object with a method of that name would be taken for a promise.
  const { then: following, ...loop } = z.record(z.string(), z.unknown()).parse(value);
  const parsed = loopSchema.safeParse({ ...loop, following });
  return parsed.success ? parsed.data : { problem: oneLine(parsed.error) };
}

function oneLine(error: z.ZodError): string {
  return z.prettifyError(error).replaceAll(/\s+/g, ' ');
}
