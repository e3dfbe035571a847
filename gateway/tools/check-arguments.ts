import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { parseExactly } from './exact-json.ts';

/** Arguments that fit the tool's schema, or one text that says what is wrong and where. */
export type CheckedArguments =
  | {
      readonly ok: true;
      readonly input: Record<string, unknown>;
      /** The same as JSON, with every digit of its numbers and each key once. */
      readonly json: string;
    }
  | { readonly ok: false; readonly problem: string };

/** Checks the arguments of calls against the schemas of their tools. */
export type ArgumentChecker = (spec: ToolSpec, argumentsText: string) => CheckedArguments;

/** Longest part of the model's own text that is quoted back to it, in characters. */
const QUOTE_LIMIT = 200;
/** Most problems that are listed at once. */
const PROBLEM_LIMIT = 8;

/** A checker that compiles each schema once. */
export function createArgumentChecker(): ArgumentChecker {
  const ajv = new Ajv2020({ allErrors: true, strict: false, strictNumbers: true, logger: false });
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (schemaJson: string): ValidateFunction => {
    const known = compiled.get(schemaJson);
    if (known !== undefined) return known;
    const validate = ajv.compile(JSON.parse(schemaJson === '' ? '{"type":"object"}' : schemaJson));
    compiled.set(schemaJson, validate);
    return validate;
  };
  return (spec, argumentsText) => {
    const text = argumentsText.trim() === '' ? '{}' : argumentsText;
    const parsed = parseObject(text);
    if ('problem' in parsed) return { ok: false, problem: parsed.problem };
    const validate = validatorOf(spec.inputSchemaJson);
    const exact = parseExactly(text);
    if (validate(parsed.input)) return { ok: true, input: parsed.input, json: JSON.stringify(exact) };
    const errors = validate.errors ?? [];
    const coerced = structuredClone(parsed.input);
    if (coerceTexts([coerced, exact], errors) && validate(coerced)) {
      return { ok: true, input: coerced, json: JSON.stringify(exact) };
    }
    return { ok: false, problem: describe(spec.name, errors) };
  };
}

function parseObject(
  text: string,
): { readonly input: Record<string, unknown> } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `The arguments are not valid JSON (${reason}). They were: ${quote(text)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: `The arguments must be a JSON object. They were: ${quote(text)}` };
  }
  return { input: value as Record<string, unknown> };
}

/** What ajv complains about only where the schema admits texts. */
const TEXT_KEYWORDS = new Set(['minLength', 'maxLength', 'pattern', 'format']);

/**
 * Replaces texts where the schema forbids a text and the text parses to what it demands: models often write "3" for 3
 * or a whole array as text. `input` is what is checked, `exact` what is written. Says whether anything was replaced.
 */
function coerceTexts(
  [input, exact]: readonly [Record<string, unknown>, unknown],
  errors: readonly ErrorObject[],
): boolean {
  const admitsText = new Set(
    errors.filter(error => TEXT_KEYWORDS.has(error.keyword)).map(error => error.instancePath),
  );
  const replaced = errors.map(({ keyword, instancePath, params }) => {
    if (keyword !== 'type' || admitsText.has(instancePath)) return false;
    const at = placeOf(input, instancePath);
    const text = at?.holder[at.key];
    const exactly = placeOf(exact, instancePath);
    if (at === undefined || exactly === undefined || typeof text !== 'string') return false;
    const value = parsedAs(text, ([] as string[]).concat(params['type'] as string | string[]));
    if (value === undefined) return false;
    at.holder[at.key] = value;
    exactly.holder[exactly.key] = parseExactly(text);
    return true;
  });
  return replaced.includes(true);
}

/** Where a JSON Pointer leads; undefined for the root, which nothing holds. */
function placeOf(
  root: unknown,
  pointer: string,
): { readonly holder: Record<string, unknown>; readonly key: string } | undefined {
  const keys = pointer.split('/').slice(1).map(decodePointerKey);
  const key = keys.pop();
  if (key === undefined) return undefined;
  let holder = root as Record<string, unknown>;
  for (const step of keys) holder = holder[step] as Record<string, unknown>;
  return { holder, key };
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
