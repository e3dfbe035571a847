import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { createArgumentChecker } from '#gateway/tools/check-arguments.ts';
import { ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

const check = createArgumentChecker();

function specOf(properties: object, more: object = {}) {
  const schema = { type: 'object', additionalProperties: false, properties, ...more };
  return create(ToolSpecSchema, { name: 'tool', inputSchemaJson: JSON.stringify(schema) });
}

const spec = specOf({
  text: { type: 'string' },
  count: { type: 'integer' },
  ratio: { type: 'number' },
  flag: { type: 'boolean' },
  items: { type: 'array', items: { type: 'integer' } },
  maybe: { type: ['integer', 'null'] },
  either: { anyOf: [{ type: 'string', minLength: 5 }, { type: 'integer' }] },
});

function accepted(text: string, tool = spec) {
  const checked = check(tool, text);
  if (!checked.ok) throw new Error(checked.problem);
  return checked;
}

function problem(text: string, tool = spec): string {
  const checked = check(tool, text);
  return checked.ok ? `accepted ${checked.json}` : checked.problem;
}

describe('arguments', () => {
  it.each(['', '  \n'])('that are empty (%j) are an empty object', text => {
    expect(accepted(text)).toEqual({ ok: true, input: {}, json: '{}' });
  });

  it('that are no JSON are refused with what they were and where they break', () => {
    expect(problem('{"text": "*')).toMatch(/not valid JSON \(.+\)\. They were: \{"text": "\*/);
  });

  it('that are no JSON are quoted only in part', () => {
    const text = problem(`{"text": "${'x'.repeat(10_000)}`);
    expect(text.length).toBeLessThan(500);
    expect(text).toContain('10010 characters');
  });

  it.each(['[]', 'null', '3', '"text"'])('that are %s are refused, since they are no object', text => {
    expect(problem(text)).toContain('must be a JSON object');
  });

  it('with an unknown key name that key', () => {
    expect(problem('{"txet": "x"}')).toContain('unknown key "txet"');
  });

  it('that miss a key name it', () => {
    expect(problem('{}', specOf({ text: { type: 'string' } }, { required: ['text'] }))).toContain("'text'");
  });

  it('with a value outside an enum name the values', () => {
    expect(problem('{"unit": "x"}', specOf({ unit: { enum: ['m', 'ft'] } }))).toContain('["m","ft"]');
  });

  it('with many problems list eight of them', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 1]));
    expect(problem(JSON.stringify(many)).match(/unknown key/g)).toHaveLength(8);
  });

  it('for a tool without a schema may be any object', () => {
    const free = create(ToolSpecSchema, { name: 'free' });
    expect(accepted('{"anything": [1]}', free).json).toBe('{"anything":[1]}');
  });

  it('are checked the same the second time, after texts were replaced the first time', () => {
    expect(accepted('{"count": "3"}').input).toEqual({ count: 3 });
    expect(accepted('{"count": "3"}').input).toEqual({ count: 3 });
  });
});

describe('texts where the schema wants something else', () => {
  it.each([
    ['{"count": "3"}', '{"count":3}'],
    ['{"count": "3.0"}', '{"count":3.0}'],
    ['{"ratio": "0.5"}', '{"ratio":0.5}'],
    ['{"flag": "true"}', '{"flag":true}'],
    ['{"items": "[1, 2]"}', '{"items":[1,2]}'],
    ['{"items": [1, "2"]}', '{"items":[1,2]}'],
    ['{"maybe": "null"}', '{"maybe":null}'],
    ['{"count": "9007199254740993"}', '{"count":9007199254740993}'],
  ])('%s is taken as %s', (text, json) => {
    expect(accepted(text).json).toBe(json);
  });

  it.each(['{"count": "three"}', '{"count": "3.5"}', '{"flag": "yes"}', '{"items": "1"}', '{"count": [3]}'])(
    '%s stays refused',
    text => {
      expect(problem(text)).toContain('do not fit the schema of tool');
    },
  );

  it('a text stays a text where the schema admits one', () => {
    expect(accepted('{"text": "3"}').input).toEqual({ text: '3' });
  });

  it('a text that is admitted but too short does not become a number', () => {
    expect(problem('{"either": "42"}')).toContain('fewer than 5 characters');
  });
});

describe('numbers', () => {
  it.each([
    ['{"count":9007199254740993}', 'an integer above 2^53'],
    ['{"count":-9223372036854775808}', 'the smallest 64-bit integer'],
    ['{"items":[18446744073709551615]}', 'the largest unsigned one, in a list'],
    ['{"ratio":0.1000000000000000055511151231257827}', 'a long fraction'],
    ['{"ratio":1.10}', 'a fraction with a zero at its end'],
    ['{"ratio":-0}', 'minus zero'],
  ])('%s reaches the tool as it was written: %s', text => {
    expect(accepted(text).json).toBe(text);
  });

  it('too large for any double are refused', () => {
    expect(problem('{"ratio": 1e999}')).toContain('/ratio');
  });
});

describe('keys', () => {
  it('that come twice reach the tool once, with the value that was judged', () => {
    const { input, json } = accepted('{"text": "first", "text": "second"}');
    expect(input).toEqual({ text: 'second' });
    expect(json).toBe('{"text":"second"}');
  });

  it('named like parts of JavaScript objects are keys like others', () => {
    expect(problem('{"__proto__": {"text": "x"}}')).toContain('unknown key "__proto__"');
    const free = create(ToolSpecSchema, { name: 'free' });
    expect(accepted('{"__proto__": {"a": 1}}', free).json).toBe('{"__proto__":{"a":1}}');
  });
});
