import { z } from 'zod';

const PROVIDER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

const baseUrlSchema = z.url({ protocol: /^https?$/ }).refine(
  text => {
    const url = new URL(text);
    return url.username === '' && url.password === '';
  },
  { error: 'must not carry a user name or password; put the key into apiKeyEnv or apiKeyFile' },
);

const providerSchema = z
  .strictObject({
    type: z.literal('openai-compatible'),
    baseUrl: baseUrlSchema,
    apiKeyEnv: z.string().min(1).optional(),
    apiKeyFile: z.string().min(1).optional(),
  })
  .refine(provider => provider.apiKeyEnv === undefined || provider.apiKeyFile === undefined, {
    error: 'takes apiKeyEnv or apiKeyFile, not both',
  });

/** Where one provider is and which key opens it; without a key setting, requests carry no key. */
export type ProviderConfig = z.infer<typeof providerSchema>;

const OPENAI: ProviderConfig = {
  type: 'openai-compatible',
  baseUrl: 'https://api.openai.com/v1',
  apiKeyEnv: 'OPENAI_API_KEY',
};

/** The `models` part of the gateway's configuration; an empty object gives `openai:` with OPENAI_API_KEY. */
export const modelsConfigSchema = z.strictObject({
  /** Folder of the scripts that `script:FILE` plays; without it there are no script models. */
  scriptsDir: z.string().min(1).optional(),
  /** Providers by the name that stands before the colon in `NAME:MODEL`. */
  providers: z
    .record(
      z
        .string()
        .regex(PROVIDER_NAME, { error: 'a provider name is 1 to 32 of a-z, 0-9, "_" and "-"' })
        .refine(name => name !== 'script', { error: '"script" is the name of the script models' }),
      providerSchema,
    )
    .default({})
    .transform((providers): Record<string, ProviderConfig> => ({ openai: OPENAI, ...providers })),
  /** Longest time of one attempt, from the request to the end of the answer. */
  timeoutMs: z.int().min(1).max(3_600_000).default(300_000),
  /** Attempts in all; a further one starts only while nothing of the answer has arrived. */
  attempts: z.int().min(1).max(10).default(3),
});

/** The checked configuration. */
export type ModelsConfig = z.infer<typeof modelsConfigSchema>;
