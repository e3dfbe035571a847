import type { Model } from './model.ts';
import type { ModelsConfig } from './models-config.ts';
import { listScripts, locateScript } from './script/locate-script.ts';
import { createScriptModel } from './script/script-model.ts';

/** No model has that name; the message says which do and how to add one. */
export class UnknownModelError extends Error {
  override readonly name = 'UnknownModelError';
}

/** Turns a model's name into the model, or throws UnknownModelError; no connection is made yet. */
export function createModelResolver(options: { readonly models: ModelsConfig }): (name: string) => Model {
  const { models } = options;
  return name => {
    const [, provider, model] = /^([^:]*):(.+)$/s.exec(name) ?? [];
    if (provider === undefined || model === undefined) {
      throw new UnknownModelError(
        `"${name}" is no model name. A model is named PROVIDER:MODEL; ${knownProviders(models)}`,
      );
    }
    if (provider === 'script') {
      return resolveScript(models.scriptsDir, model);
    }
    throw new UnknownModelError(`There is no model provider "${provider}"; ${knownProviders(models)}`);
  };
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
