import { z } from 'zod';

/** Settings of a model; each may stand at a model, at its provider, or, where it says so, for all models. */
export const modelSettingsSchema = z.strictObject({
  /** Sent as it is; without it the provider's own default holds. */
  temperature: z.number().min(0).max(2).optional(),
  /** Sent as it is. */
  topP: z.number().min(0).max(1).optional(),
  /** Longest answer in tokens. */
  maxOutputTokens: z.int().min(1).optional(),
  /** Further fields of the request, in the words of the provider's AI SDK package. */
  options: z.record(z.string(), z.json()).optional(),
  /** False asks for whole answers, for servers that cannot stream. */
  stream: z.boolean().optional(),
  /** Longest time of one attempt, from the request to the end of the answer. */
  timeoutMs: z.int().min(1).max(3_600_000).optional(),
  /** Longest silence of a server while it streams, before its first word too. */
  idleTimeoutMs: z.int().min(1).max(3_600_000).optional(),
  /** Attempts in all; a further one starts only while nothing of the answer has arrived. */
  attempts: z.int().min(1).max(10).optional(),
});

/** Settings as somebody wrote them. */
export type GivenSettings = z.infer<typeof modelSettingsSchema>;

/** What holds for every model, said or not. */
export interface BaseSettings {
  readonly stream: boolean;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly attempts: number;
}

/** Settings of one model after all places were looked at. */
export type ModelSettings = Omit<GivenSettings, keyof BaseSettings> & BaseSettings;

/** The settings that hold: the earlier place wins, setting by setting. */
export function mergeSettings(places: readonly GivenSettings[], base: BaseSettings): ModelSettings {
  let merged: ModelSettings = base;
  for (const place of places.toReversed()) {
    merged = { ...merged, ...withoutUndefined(place) };
  }
  return merged;
}

function withoutUndefined(settings: GivenSettings): Partial<ModelSettings> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
