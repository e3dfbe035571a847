import { readFile } from 'node:fs/promises';
import { ModelError } from '../model.ts';
import type { ProviderConfig } from '../provider-config.ts';

const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** The key of a provider, read at each use so that a changed one counts at once; undefined when it takes none. */
export async function readApiKey(options: {
  readonly providerName: string;
  readonly provider: ProviderConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}): Promise<string | undefined> {
  const { providerName, provider, env, signal } = options;
  if (provider.apiKeyEnv !== undefined) {
    const place = `the environment variable ${provider.apiKeyEnv}`;
    return checkKey(env[provider.apiKeyEnv], providerName, place);
  }
  if (provider.apiKeyFile !== undefined) {
    const place = `the file ${provider.apiKeyFile}`;
    return checkKey(await readKeyFile(provider.apiKeyFile, signal), providerName, place);
  }
  return undefined;
}

async function readKeyFile(path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await readFile(path, { encoding: 'utf8', signal });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function checkKey(text: string | undefined, providerName: string, place: string): string {
  const key = text?.trim() ?? '';
  if (key === '') {
    throw notConfigured(`The model provider "${providerName}" needs a key: put it into ${place}.`);
  }
  if (!HEADER_SAFE.test(key)) {
    throw notConfigured(
      `The key of the model provider "${providerName}" in ${place} holds spaces or control characters.`,
    );
  }
  return key;
}

function notConfigured(message: string): ModelError {
  return new ModelError({ reason: 'NOT_CONFIGURED', message });
}
