import type { Logger } from '#kit/logger.ts';
import type { Model } from './model.ts';
import type { ModelsConfig } from './models-config.ts';
import { createOpenAICompatibleModel } from './openai-compatible/openai-compatible-model.ts';
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
}

/** Turns a model's name into the model, or throws UnknownModelError; no connection is made yet. */
export function createModelResolver(options: ModelResolverOptions): (name: string) => Model {
  const { models } = options;
  return name => {
    const [, providerName, modelId] = /^([^:]+):(.+)$/s.exec(name) ?? [];
    if (providerName === undefined || modelId === undefined) {
      throw new UnknownModelError(
        `"${name}" is no model name. A model is named PROVIDER:MODEL; ${knownProviders(models)}`,
      );
    }
    return providerName === 'script'
      ? resolveScript(models.scriptsDir, modelId)
      : resolveProvider(providerName, modelId, options);
  };
}

function resolveProvider(providerName: string, modelId: string, options: ModelResolverOptions): Model {
  const { models, logger, env, sleep = sleepOnClock, nowMs = Date.now } = options;
  const provider = Object.hasOwn(models.providers, providerName) ? models.providers[providerName] : undefined;
  if (provider === undefined) {
    throw new UnknownModelError(`There is no model provider "${providerName}"; ${knownProviders(models)}`);
  }
  const { timeoutMs, attempts } = models;
  const model = createOpenAICompatibleModel({ providerName, provider, modelId, timeoutMs, env, nowMs });
  return createRetryingModel({ model, attempts, logger, sleep });
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
