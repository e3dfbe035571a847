import type { Logger } from '#kit/logger.ts';
import { anthropicFormat } from './anthropic/anthropic-format.ts';
import { createFallbackModel } from './fallback-model.ts';
import { googleFormat } from './google/google-format.ts';
import { createLanguageModel } from './language-model/language-model.ts';
import type { WireFormat } from './language-model/wire-format.ts';
import type { Model } from './model.ts';
import { mergeSettings } from './model-settings.ts';
import type { ModelsConfig } from './models-config.ts';
import { openAICompatibleFormat, openAIFormat } from './openai-compatible/openai-compatible-format.ts';
import type { ProviderType } from './provider-config.ts';
import { createRetryingModel, type Sleep, sleepOnClock } from './retrying-model.ts';
import { listScripts, locateScript } from './script/locate-script.ts';
import { createScriptModel } from './script/script-model.ts';

/** No model has that name; the message says which do and how to add one. */
export class UnknownModelError extends Error {
  override readonly name = 'UnknownModelError';
}

/** What the models share. */
export interface ModelResolverOptions {
  readonly models: ModelsConfig;
  readonly logger: Logger;
  /** Where the keys of providers are looked up, at each use. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How to wait between attempts; the real clock by default. */
  readonly sleep?: Sleep;
  /** Milliseconds since 1970; the real clock by default. */
  readonly nowMs?: () => number;
  /** From 0 to 1, for the waits between attempts; Math.random by default. */
  readonly random?: () => number;
}

const FORMATS: Readonly<Record<ProviderType, WireFormat>> = {
  'openai-compatible': openAICompatibleFormat,
  openai: openAIFormat,
  anthropic: anthropicFormat,
  google: googleFormat,
};

/** Between the names of a model and of the one that is asked when the first fails. */
const FALLBACK_SEPARATOR = /,\s*then\s+/;

/**
 * Turns a model's name into the model, or throws UnknownModelError; no connection is made yet. The name may list
 * several, as in "openai:gpt-5, then dashscope:qwen-plus".
 */
export function createModelResolver(options: ModelResolverOptions): (name: string) => Model {
  return name => {
    const models = name.split(FALLBACK_SEPARATOR).map(part => resolveOne(part.trim(), options));
    const [only] = models;
    return only !== undefined && models.length === 1
      ? only
      : createFallbackModel({ models, logger: options.logger });
  };
}

function resolveOne(name: string, options: ModelResolverOptions): Model {
  const { models } = options;
  const [, providerName, modelId] = /^([^:]+):(.+)$/s.exec(name) ?? [];
  if (providerName === undefined || modelId === undefined) {
    throw new UnknownModelError(
      `"${name}" is no model name. A model is named PROVIDER:MODEL; ${knownProviders(models)}`,
    );
  }
  return providerName === 'script'
    ? resolveScript(models.scriptsDir, modelId)
    : resolveProvider(providerName, modelId, options);
}

function resolveProvider(providerName: string, modelId: string, options: ModelResolverOptions): Model {
  const { models, logger, env, sleep = sleepOnClock, nowMs = Date.now, random = Math.random } = options;
  const provider = Object.hasOwn(models.providers, providerName) ? models.providers[providerName] : undefined;
  if (provider === undefined) {
    throw new UnknownModelError(`There is no model provider "${providerName}"; ${knownProviders(models)}`);
  }
  const { timeoutMs, idleTimeoutMs, attempts } = models;
  const name = `${providerName}:${modelId}`;
  const own = Object.hasOwn(models.settings, name) ? models.settings[name] : undefined;
  const settings = mergeSettings([own ?? {}, provider.settings], {
    stream: true,
    timeoutMs,
    idleTimeoutMs,
    attempts,
  });
  const format = FORMATS[provider.type];
  const model = createLanguageModel({ providerName, provider, format, modelId, settings, env, nowMs });
  return createRetryingModel({ model, attempts: settings.attempts, logger, sleep, random });
}

function resolveScript(scriptsDir: string | undefined, file: string): Model {
  if (scriptsDir === undefined) {
    throw new UnknownModelError(
      `"script:${file}" needs a folder of scripts: set models.scriptsDir in the gateway's configuration.`,
    );
  }
  const location = locateScript(scriptsDir, file);
  if (location.kind === 'refused') {
    const scripts = listScripts(scriptsDir);
    const known = scripts.length === 0 ? 'It holds no script.' : `It holds ${scripts.join(', ')}.`;
    throw new UnknownModelError(
      `There is no script "${file}" in the scripts folder: ${location.problem}. ${known}`,
    );
  }
  return createScriptModel({ scriptsDir, file });
}

function knownProviders(models: ModelsConfig): string {
  const names = ['script', ...Object.keys(models.providers)];
  return `there are ${names.join(', ')}. Others are added under models.providers in the gateway's configuration.`;
}
