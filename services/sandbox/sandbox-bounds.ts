import { Code, ConnectError } from '@connectrpc/connect';
import {
  NetworkMode,
  type SandboxSettings,
  SandboxType,
} from '#gen/toolgate/sandbox/v1/sandbox_service_pb.ts';
import type { SandboxExecutorConfig, SandboxLimits } from '#sandbox/config.ts';

/** What sessions may choose for their sandboxes, set by the operator. */
export interface SandboxBounds {
  /** Besides the default image: exact names, or `name:*` for every tag. */
  readonly images: readonly string[];
  readonly max: SandboxLimits;
  /** Names of variables that may be set. */
  readonly environmentNames: readonly string[];
}

/** What one session's sandbox is made with. */
export interface EffectiveSettings {
  readonly image: string;
  readonly limits: SandboxLimits;
  readonly environment: Readonly<Record<string, string>>;
}

/** What bounds and defaults are read from. */
export type BoundedConfig = Pick<SandboxExecutorConfig, 'type' | 'image' | 'limits' | 'bounds'>;

/** Below these a toolbox does not start: its own processes and its Node count too. */
const MIN: SandboxLimits = { memoryBytes: 64 * 1024 * 1024, cpuMillis: 50, maxProcesses: 32 };

/** Fills in the operator's defaults. Throws a ConnectError that names field, value and bound. */
export function effectiveSettings(
  config: BoundedConfig,
  settings: SandboxSettings | undefined,
): EffectiveSettings {
  if (settings === undefined) return { image: config.image, limits: config.limits, environment: {} };
  refuseUnfinished(settings);
  checkType(config, settings);
  if (config.type === 'LOCAL') refuseContainerSettings(settings);
  const { max } = config.bounds;
  return {
    image: allowedImage(config, settings.image),
    limits: {
      memoryBytes: within('memory_bytes', Number(settings.memoryBytes), 'memoryBytes', config.limits, max),
      cpuMillis: within('cpu_millis', settings.cpuMillis, 'cpuMillis', config.limits, max),
      maxProcesses: within('max_processes', settings.maxProcesses, 'maxProcesses', config.limits, max),
    },
    environment: allowedEnvironment(config, settings.environment),
  };
}

/** How the commands' variables reach the toolbox: renamed, so that none of them means anything to it. */
export function commandVariables({ environment }: EffectiveSettings): Record<string, string> {
  const renamed = Object.entries(environment).map(([name, value]) => [`TOOLGATE_COMMAND_ENV_${name}`, value]);
  return Object.fromEntries(renamed);
}

function refuseUnfinished(settings: SandboxSettings): void {
  const unfinished = [
    ['workspace_path', settings.workspacePath !== ''],
    ['call_timeout', settings.callTimeout !== undefined],
    ['workspace_bytes', settings.workspaceBytes !== 0n],
    ['runtime', settings.runtime !== ''],
    ['idle_timeout', settings.idleTimeout !== undefined],
    ['network.mode other than NONE', (settings.network?.mode ?? 0) > NetworkMode.NONE],
    ['network.allowed_hosts', (settings.network?.allowedHosts.length ?? 0) > 0],
  ] as const;
  const asked = unfinished.filter(([, isSet]) => isSet).map(([name]) => name);
  if (asked.length === 0) return;
  throw new ConnectError(`not implemented yet, leave unset: ${asked.join(', ')}`, Code.Unimplemented);
}

function checkType(config: BoundedConfig, { type }: SandboxSettings): void {
  if (type === SandboxType.UNSPECIFIED || type === SandboxType[config.type]) return;
  refuse('type', typeName(type), `this executor has only ${config.type}`);
}

function typeName(type: SandboxType): string {
  return Object.entries(SandboxType).find(([, value]) => value === type)?.[0] ?? String(type);
}

/** Accepting what nothing enforces would be a promise that is not kept. */
function refuseContainerSettings(settings: SandboxSettings): void {
  const asked = [
    ['image', settings.image],
    ['memory_bytes', settings.memoryBytes],
    ['cpu_millis', settings.cpuMillis],
    ['max_processes', settings.maxProcesses],
    ['network.mode', settings.network?.mode],
  ] as const;
  for (const [field, value] of asked) {
    if (value) refuse(field, String(value), 'type LOCAL isolates nothing and cannot hold to it');
  }
}

function allowedImage(config: BoundedConfig, image: string): string {
  if (image === '' || image === config.image) return config.image;
  const allowed = config.bounds.images;
  if (allowed.some(pattern => matchesImage(pattern, image))) return image;
  return refuse('image', image, `allowed are ${[config.image, ...allowed].join(', ')}`);
}

function matchesImage(pattern: string, image: string): boolean {
  if (!pattern.endsWith(':*')) return pattern === image;
  const name = pattern.slice(0, -1);
  return image.startsWith(name) && /^[\w.-]+$/.test(image.slice(name.length));
}

function within(
  field: string,
  value: number,
  key: keyof SandboxLimits,
  defaults: SandboxLimits,
  max: SandboxLimits,
): number {
  if (value === 0) return defaults[key];
  if (value >= MIN[key] && value <= max[key]) return value;
  return refuse(field, String(value), `allowed are ${MIN[key]} to ${max[key]}`);
}

function allowedEnvironment(
  config: BoundedConfig,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = config.bounds.environmentNames;
  for (const [name, value] of Object.entries(environment)) {
    if (!names.includes(name)) {
      refuse('environment', name, `allowed names are ${names.length === 0 ? 'none' : names.join(', ')}`);
    }
    if (value.includes('\0')) refuse('environment', name, 'a value holds no NUL');
  }
  return { ...environment };
}

function refuse(field: string, value: string, bound: string): never {
  throw new ConnectError(
    `sandbox setting ${field}: "${value}" is not allowed; ${bound}`,
    Code.InvalidArgument,
  );
}
