import { resolve } from 'node:path';
import { z } from 'zod';
import { modelSettingsSchema } from './model-settings.ts';
import {
  completeProvider,
  givenProviderSchema,
  knownProviderNames,
  type ProviderConfig,
} from './provider-config.ts';

const PROVIDER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

const providersSchema = z
  .record(
    z
      .string()
      .regex(PROVIDER_NAME, { error: 'a provider name is 1 to 32 of a-z, 0-9, "_" and "-"' })
      .refine(name => name !== 'script', { error: '"script" is the name of the script models' }),
    givenProviderSchema,
  )
  .default({})
  .transform((given, context): Record<string, ProviderConfig> => {
    const names = new Set([...knownProviderNames, ...Object.keys(given)]);
    const complete: Record<string, ProviderConfig> = {};
    for (const name of names) {
      const provider = completeProvider(name, given[name] ?? { headers: {}, settings: {} });
      if (!('missing' in provider)) complete[name] = provider;
      else
        context.issues.push({
          code: 'custom',
          input: given,
          path: [name],
          message: `needs ${provider.missing}`,
        });
    }
    return complete;
  });

/** The `models` part of the gateway's configuration; an empty object knows the public providers by name. */
export const modelsConfigSchema = z.strictObject({
  /** Folder of the scripts that `script:FILE` plays; without it there are no script models. */
  scriptsDir: z.string().min(1).optional(),
  /** Providers by the name that stands before the colon in `NAME:MODEL`. */
  providers: providersSchema,
  /** Settings by the whole name of a model, such as `openai:gpt-5`; they win over those of its provider. */
  settings: z.record(z.string(), modelSettingsSchema).default({}),
  /** Longest time of one attempt, from the request to the end of the answer. */
  timeoutMs: z.int().min(1).max(3_600_000).default(300_000),
  /** Longest silence of a server while it streams; a large local model may load for a minute. */
  idleTimeoutMs: z.int().min(1).max(3_600_000).default(120_000),
  /** Attempts in all; a further one starts only while nothing of the answer has arrived. */
  attempts: z.int().min(1).max(10).default(3),
});

/** The checked configuration. */
export type ModelsConfig = z.infer<typeof modelsConfigSchema>;

/** The same with absolute paths; relative ones start at the folder of the configuration file. */
export function resolveModelPaths(models: ModelsConfig, base: string): ModelsConfig {
  const { scriptsDir } = models;
  const providers = Object.entries(models.providers).map(([name, provider]) => {
    const { apiKeyFile } = provider;
    return [
      name,
      apiKeyFile === undefined ? provider : { ...provider, apiKeyFile: resolve(base, apiKeyFile) },
    ];
  });
  return {
    ...models,
    ...(scriptsDir === undefined ? {} : { scriptsDir: resolve(base, scriptsDir) }),
    providers: Object.fromEntries(providers),
  };
}
