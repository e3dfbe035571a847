import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

/** Arguments that fit the tool's schema, or one text that says what is wrong and where. */
export type CheckedArguments =
  | { readonly ok: true; readonly input: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string };

/** Checks the arguments of calls against the schemas of their tools. */
export type ArgumentChecker = (spec: ToolSpec, argumentsText: string) => CheckedArguments;

/** Longest part of the model's own text that is quoted back to it, in characters. */
const QUOTE_LIMIT = 200;
/** Most problems that are listed at once. */
const PROBLEM_LIMIT = 8;

/** A checker that compiles each schema once. */
export function createArgumentChecker(): ArgumentChecker {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (schemaJson: string): ValidateFunction => {
    const known = compiled.get(schemaJson);
    if (known !== undefined) return known;
    const validate = ajv.compile(JSON.parse(schemaJson === '' ? '{"type":"object"}' : schemaJson));
    compiled.set(schemaJson, validate);
    return validate;
  };
  return (spec, argumentsText) => {
    const parsed = parseObject(argumentsText);
    if (!parsed.ok) return parsed;
    const validate = validatorOf(spec.inputSchemaJson);
    if (validate(parsed.input)) return parsed;
    const coerced = structuredClone(parsed.input);
    if (coerceTexts(coerced, validate.errors ?? []) && validate(coerced)) return { ok: true, input: coerced };
    validate(parsed.input);
    return { ok: false, problem: describe(spec.name, validate.errors ?? []) };
  };
}

function parseObject(text: string): CheckedArguments {
  if (text.trim() === '') return { ok: true, input: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `The arguments are not valid JSON (${reason}). They were: ${quote(text)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: `The arguments must be a JSON object. They were: ${quote(text)}` };
  }
  return { ok: true, input: value as Record<string, unknown> };
}

/**
 * Replaces texts where the schema forbids a text and the text parses to what it demands: models often write "3" for 3
 * or a whole array as text. Says whether anything was replaced.
 */
function coerceTexts(input: Record<string, unknown>, errors: readonly ErrorObject[]): boolean {
  const replaced = errors.map(error => {
    if (error.keyword !== 'type') return false;
    const wanted = ([] as string[]).concat(error.params['type'] as string | string[]);
    return replaceText(input, error.instancePath, wanted);
  });
  return replaced.includes(true);
}

function replaceText(input: Record<string, unknown>, pointer: string, wanted: readonly string[]): boolean {
  const keys = pointer.split('/').slice(1).map(decodePointerKey);
  const last = keys.pop();
  if (last === undefined) return false;
  let holder: unknown = input;
  for (const key of keys) holder = (holder as Record<string, unknown>)[key];
  const text = (holder as Record<string, unknown>)[last];
  if (typeof text !== 'string') return false;
  const value = parsedAs(text, wanted);
  if (value === undefined) return false;
  (holder as Record<string, unknown>)[last] = value;
  return true;
}

function parsedAs(text: string, wanted: readonly string[]): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return wanted.includes(jsonType(value)) || (wanted.includes('integer') && Number.isInteger(value))
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function decodePointerKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function describe(tool: string, errors: readonly ErrorObject[]): string {
  const problems = errors.slice(0, PROBLEM_LIMIT).map(error => `- ${where(error)}: ${what(error)}`);
  return `The arguments do not fit the schema of ${tool}:\n${problems.join('\n')}`;
}

function where(error: ErrorObject): string {
  return error.instancePath === '' ? 'arguments' : error.instancePath;
}

function what(error: ErrorObject): string {
  if (error.keyword === 'additionalProperties') {
    return `unknown key "${String(error.params['additionalProperty'])}"`;
  }
  if (error.keyword === 'enum') return `must be one of ${JSON.stringify(error.params['allowedValues'])}`;
  return error.message ?? error.keyword;
}

function quote(text: string): string {
  return text.length <= QUOTE_LIMIT ? text : `${text.slice(0, QUOTE_LIMIT)}… (${text.length} characters)`;
}
