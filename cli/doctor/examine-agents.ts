import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { DataFolder } from '../processes/data-folder.ts';
import { type GatewayFile, readGatewayFile } from '../processes/gateway-file.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { type Finding, finding } from './finding.ts';

/** Variables that the gateway knows without configuration; a test holds them against its own list. */
export const KEY_VARIABLES: Readonly<Record<string, string | undefined>> = {
  openai: 'OPENAI_API_KEY',
  dashscope: 'DASHSCOPE_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GEMINI_API_KEY',
  ollama: undefined,
};

/** Between the names of a model and of the one that is asked when the first fails. */
const FALLBACK_SEPARATOR = /,\s*then\s+/;

/** What the gateway's models see; a variable counts when it is there and not empty. */
export type HasVariable = (name: string) => boolean;

/** Looks at each agent of the gateway's folder: that its file can be read, and that its models have their keys. */
export function* examineAgents(folder: DataFolder, hasVariable: HasVariable): Generator<Finding> {
  if (!existsSync(folder.gatewayYaml)) return;
  const base = dirname(folder.gatewayYaml);
  const file = readGatewayFile(folder);
  const agents = resolve(base, file.agentsDir);
  if (!existsSync(agents)) {
    yield finding(
      'Agents',
      `${agents} is missing: create it, or change "agentsDir" in ${folder.gatewayYaml}.`,
    );
    return;
  }
  for (const name of readdirSync(agents).sort()) {
    const path = join(agents, name, 'agent.yaml');
    if (!existsSync(path)) continue;
    const model = modelOf(path);
    const problem = 'problem' in model ? model.problem : modelProblem(model.name, file, base, hasVariable);
    yield finding(`Agent ${escapeToOneLine(name)}`, problem);
  }
}

function modelOf(path: string): { readonly name: string } | { readonly problem: string } {
  try {
    const model: unknown = parse(readFileSync(path, 'utf8'))?.model;
    if (typeof model === 'string' && model !== '') return { name: model };
    return { problem: `${path} names no model: add "model: PROVIDER:MODEL".` };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { problem: `${path} cannot be read: ${escapeToOneLine(problem.split('\n', 1)[0] ?? '')}` };
  }
}

function modelProblem(
  names: string,
  file: GatewayFile,
  base: string,
  hasVariable: HasVariable,
): string | undefined {
  const problems = names
    .split(FALLBACK_SEPARATOR)
    .map(name => name.trim())
    .flatMap(name => providerProblem(name, file, base, hasVariable) ?? []);
  return problems.length === 0 ? undefined : problems.join(' ');
}

function providerProblem(
  model: string,
  file: GatewayFile,
  base: string,
  hasVariable: HasVariable,
): string | undefined {
  const shown = escapeToOneLine(model);
  const provider = model.split(':', 1)[0] ?? '';
  if (provider === model) return `"${shown}" is no model name: write PROVIDER:MODEL.`;
  if (provider === 'script') return undefined;
  const given = Object.hasOwn(file.models.providers, provider) ? file.models.providers[provider] : undefined;
  if (given === undefined && !Object.hasOwn(KEY_VARIABLES, provider)) {
    return `there is no model provider "${escapeToOneLine(provider)}": add it under models.providers in the gateway's configuration.`;
  }
  if (given?.apiKeyFile !== undefined) return keyFileProblem(shown, resolve(base, given.apiKeyFile));
  const known = given?.baseUrl === undefined ? KEY_VARIABLES[provider] : undefined;
  const variable = given?.apiKeyEnv ?? known;
  if (variable === undefined || hasVariable(variable)) return undefined;
  return `${shown} has no key: set ${variable} where the gateway is started ("toolgate down", then "${variable}=… npm start"), or name a file by models.providers.${escapeToOneLine(provider)}.apiKeyFile.`;
}

function keyFileProblem(model: string, path: string): string | undefined {
  if (!existsSync(path)) return `${model} has no key: ${path} is missing.`;
  return statSync(path).size > 0 ? undefined : `${model} has no key: ${path} is empty.`;
}
