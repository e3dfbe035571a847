import { z } from 'zod';
import { modelSettingsSchema } from './model-settings.ts';

const baseUrlSchema = z.url({ protocol: /^https?$/ }).refine(
  text => {
    const url = new URL(text);
    return url.username === '' && url.password === '';
  },
  { error: 'must not carry a user name or password; put the key into apiKeyEnv or apiKeyFile' },
);

/** The wire formats that providers speak. */
export type ProviderType = (typeof providerTypes)[number];
const providerTypes = ['openai-compatible', 'openai', 'anthropic', 'google'] as const;

/** One provider as the operator writes it. */
export const givenProviderSchema = z
  .strictObject({
    type: z.enum(providerTypes).optional(),
    baseUrl: baseUrlSchema.optional(),
    apiKeyEnv: z.string().min(1).optional(),
    apiKeyFile: z.string().min(1).optional(),
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/)).default({}),
    settings: modelSettingsSchema.default({}),
  })
  .refine(provider => provider.apiKeyEnv === undefined || provider.apiKeyFile === undefined, {
    error: 'takes apiKeyEnv or apiKeyFile, not both',
  });

type GivenProvider = z.infer<typeof givenProviderSchema>;

/** Where one provider is and which key opens it; without a key setting, requests carry no key. */
export type ProviderConfig = GivenProvider & { readonly type: ProviderType; readonly baseUrl: string };

interface KnownProvider {
  readonly type: ProviderType;
  readonly baseUrl: string;
  readonly apiKeyEnv?: string;
}

const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: { type: 'openai', baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
  dashscope: {
    type: 'openai-compatible',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    apiKeyEnv: 'DASHSCOPE_API_KEY',
  },
  anthropic: { type: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', apiKeyEnv: 'ANTHROPIC_API_KEY' },
  google: {
    type: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    apiKeyEnv: 'GEMINI_API_KEY',
  },
  ollama: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
};

/** Names of the providers that need no configuration. */
export const knownProviderNames: readonly string[] = Object.keys(KNOWN_PROVIDERS);

/**
 * A provider with what Toolgate knows about its name and type, or what is missing. The known key goes to the
 * known address only.
 */
export function completeProvider(
  name: string,
  given: GivenProvider,
): ProviderConfig | { readonly missing: string } {
  const known = Object.hasOwn(KNOWN_PROVIDERS, name) ? KNOWN_PROVIDERS[name] : undefined;
  const type = given.type ?? known?.type;
  if (type === undefined) return { missing: `type: one of ${providerTypes.join(', ')}` };
  const home =
    known?.type === type ? known : Object.values(KNOWN_PROVIDERS).find(other => other.type === type);
  const isAtHome = known?.type === type || type !== 'openai-compatible';
  const baseUrl = given.baseUrl ?? (isAtHome ? home?.baseUrl : undefined);
  if (baseUrl === undefined) return { missing: 'baseUrl: where the server is' };
  const hasKeySetting = given.apiKeyEnv !== undefined || given.apiKeyFile !== undefined;
  const knownKey = given.baseUrl === undefined && !hasKeySetting ? home?.apiKeyEnv : undefined;
  return { ...given, type, baseUrl, ...(knownKey === undefined ? {} : { apiKeyEnv: knownKey }) };
}
