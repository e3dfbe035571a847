import { z } from 'zod';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { templateNames } from './script-template.ts';

const textsSchema = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform(texts => (typeof texts === 'string' ? [texts] : texts));

const patternSchema = z
  .string()
  .min(1)
  .superRefine((source, context) => {
    try {
      new RegExp(source, 'imu');
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'no pattern' });
    }
  });

const expectSchema = z.strictObject({
  user_contains: textsSchema.optional(),
  user_lacks: textsSchema.optional(),
  results_contain: textsSchema.optional(),
  results_lack: textsSchema.optional(),
  outcomes: z
    .record(z.string(), z.enum(Object.keys(Outcome).filter(name => name !== 'UNSPECIFIED')))
    .optional(),
});

const captureSchema = z.strictObject({
  from: z.string().min(1),
  pattern: patternSchema,
});

const callSchema = z.strictObject({
  tool: z.string(),
  input: z.union([z.record(z.string(), z.json()), z.string()]).default({}),
  id: z.string().optional(),
});

const errorSchema = z.strictObject({
  reason: z.enum(['UNREACHABLE', 'REFUSED', 'RATE_LIMITED', 'UNAVAILABLE', 'TIMED_OUT', 'BROKEN_STREAM']),
  message: z.string().default('the script says so'),
});

const turnSchema = z
  .strictObject({
    expect: expectSchema.optional(),
    capture: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), captureSchema).default({}),
    thinking: z.string().optional(),
    text: z.string().optional(),
    calls: z.array(callSchema).default([]),
    finish: z.enum(['stop', 'tool_calls', 'length', 'content_filter']).optional(),
    usage: z.strictObject({ input: z.int().min(0), output: z.int().min(0) }).default({ input: 0, output: 0 }),
    delay_ms: z.int().min(0).max(600_000).default(0),
    error: errorSchema.optional(),
    repeat: z.boolean().default(false),
  })
  .superRefine((turn, context) => {
    const known = new Set(['user', ...Object.keys(turn.capture)]);
    for (const name of templateNames([turn.thinking, turn.text, turn.calls.map(call => call.input)])) {
      if (!known.has(name)) {
        context.addIssue({
          code: 'custom',
          message: `{{${name}}} is neither "user" nor a capture of this turn (${[...known].join(', ')})`,
        });
      }
    }
  });

const turnsSchema = z
  .array(turnSchema)
  .min(1)
  .superRefine((turns, context) => {
    const early = turns.findIndex((turn, index) => turn.repeat && index < turns.length - 1);
    if (early >= 0) {
      context.addIssue({ code: 'custom', path: [early, 'repeat'], message: 'only the last turn can repeat' });
    }
  });

const replySchema = z.strictObject({
  when: patternSchema.optional(),
  turns: turnsSchema,
  /** Said at the end of the reply when something else happened than its turns expect, instead of failing. */
  otherwise: z.string().min(1).optional(),
});

/** A script file: the turns of one reply, or replies to several user messages. */
export const scriptSchema = z
  .strictObject({
    description: z.string().optional(),
    turns: turnsSchema.optional(),
    otherwise: replySchema.shape.otherwise,
    replies: z.array(replySchema).min(1).optional(),
  })
  .transform(({ turns, otherwise, replies }, context): { replies: ScriptReply[] } => {
    if ((turns === undefined) === (replies === undefined)) {
      context.addIssue({ code: 'custom', message: 'a script has either "turns" or "replies"' });
      return z.NEVER;
    }
    if (replies !== undefined && otherwise !== undefined) {
      context.addIssue({ code: 'custom', message: '"otherwise" belongs into each of the "replies"' });
      return z.NEVER;
    }
    return { replies: replies ?? [{ turns: turns ?? [], otherwise }] };
  });

/** A checked script. */
export type Script = z.infer<typeof scriptSchema>;

/** What the model answers to one user message: one turn a model call. */
export type ScriptReply = z.infer<typeof replySchema>;

/** One answer of the model. */
export type ScriptTurn = z.infer<typeof turnSchema>;
