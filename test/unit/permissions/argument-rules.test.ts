import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { checkRule } from '#gateway/permissions/rules/check-rule.ts';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { MatchKind, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { answerOf, answerTo, decideCall, rule, tools } from '#test/permission-calls.ts';

const query = create(ToolSpecSchema, {
  name: 'query_order',
  aliases: ['orders'],
  inputSchemaJson:
    '{"type":"object","properties":{"customer_id":{},"address":{}},"additionalProperties":false}',
  permission: {
    suggestions: [{ content: 'customer_id:{/customer_id}', label: 'this customer' }, { content: '*' }],
  },
});
const answer = (input: Record<string, unknown>, ...rules: string[]) =>
  answerOf(decideCall(query, input, { rules }));

describe('a rule about one argument', () => {
  it('allows the calls with such a value and no others', () => {
    const allow = 'allow query_order(customer_id:42)';
    expect(answer({ customer_id: 42 }, allow)).toBe('allow');
    expect(answer({ customer_id: '42' }, allow)).toBe('allow');
    expect(answer({ customer_id: 42, note: 'x' }, allow)).toBe('allow');
    expect(answer({ customer_id: 421 }, allow)).toBe('ask');
    expect(answer({ customer_id: [42, 43] }, allow)).toBe('ask');
    expect(answer({ customer_id: { toString: '42' } }, allow)).toBe('ask');
    expect(answer({ other: 42 }, allow)).toBe('ask');
    expect(answer({}, allow)).toBe('ask');
  });

  it.each([
    [{ customer_id: 42 }, 'deny query_order(customer_id:42)', 'deny'],
    [{ customer_id: [41, 42] }, 'deny query_order(customer_id:42)', 'deny'],
    [{ customer_id: 42 }, 'deny orders(customer_id:4*)', 'deny'],
    [{ customer_id: true }, 'ask query_order($.customer_id:true)', 'ask'],
    [{ address: { city: 'Bonn' } }, 'deny query_order(address.city:B*)', 'deny'],
    [{ address: [{ city: 'Ulm' }, { city: 'Bonn' }] }, 'deny query_order(address.city:Bonn)', 'deny'],
    [{ address: { city: 'Ulm' } }, 'deny query_order(address.city:B*)', 'allow'],
    [{ customer_id: 1e21 }, 'deny query_order(customer_id:1000000000000000000000)', 'deny'],
    [{ customer_id: 'a:b' }, 'deny query_order(customer_id:a:b)', 'deny'],
  ])('with %j, %s gives %s', (input, text, expected) => {
    expect(answer(input, 'allow query_order', text)).toBe(expected);
  });

  it('does not take a number for another one that only looks the same to the engine', () => {
    const id = 12_345_678_901_234_567_000;
    expect(answer({ customer_id: id }, `allow query_order(customer_id:${id})`)).toBe('ask');
    expect(answer({ customer_id: id }, 'allow query_order', `deny query_order(customer_id:${id})`)).toBe(
      'deny',
    );
  });

  it('can stop any tool, whatever else the tool has', () => {
    const rules = ['allow Bash', 'deny Bash($.timeout:600000)'];
    expect(answerOf(decideCall(tools.bash, { command: 'ls', timeout: 600_000 }, { rules }))).toBe('deny');
    expect(answerOf(decideCall(tools.bash, { command: 'ls', timeout: 5 }, { rules }))).toBe('allow');
    expect(
      answerTo('timeout:600000', { rules: ['deny Bash(timeout:600000)'], mode: PermissionMode.BYPASS }),
    ).toBe('deny');
  });

  it('cannot allow a tool that opens or runs something', () => {
    const rules = ['allow Bash($.timeout:5)'];
    expect(answerOf(decideCall(tools.bash, { command: 'touch x', timeout: 5 }, { rules }))).toBe('ask');
    expect(checkRule(rule(rules[0] ?? ''), [tools.bash]).errors[0]).toContain('can only deny or ask');
  });

  it('is checked against the arguments that the tool has', () => {
    const check = (text: string) => checkRule(rule(text), [query]);
    expect(check('allow query_order(customer_id:42)')).toEqual({ errors: [], warnings: [] });
    expect(check('allow query_order(costumer_id:42)').warnings[0]).toContain('has no argument "costumer_id"');
    expect(check('deny query_order(costumer_id:42)').errors[0]).toContain('It has: customer_id, address');
    expect(check('deny query_order(everything)').errors[0]).toContain('write NAME:VALUE');
    expect(check('ask query_order(everything)').warnings[0]).toContain('never matches');
  });
});

describe('suggestions that a tool brings', () => {
  const suggestions = (tool: typeof query, input: Record<string, unknown>) =>
    decideCall(tool, input).suggestions.map(({ content }) => content);

  it('hold the arguments of the call, and would have allowed it', () => {
    expect(suggestions(query, { customer_id: 42 })).toEqual(['customer_id:42', '']);
    expect(suggestions(query, { customer_id: 'a*' })).toEqual(['customer_id:a\\*', '']);
  });

  it('are left out where the argument is missing, hidden or no single value', () => {
    for (const input of [{}, { customer_id: [1] }, { customer_id: 'a\u202e' }]) {
      expect(suggestions(query, input)).toEqual(['']);
    }
  });

  it('come first for tools with match fields, unless they would not allow the call', () => {
    const spec = (content: string) =>
      create(ToolSpecSchema, {
        name: 'Save',
        permission: {
          matchFields: [{ pointer: '/to', kind: MatchKind.WRITE_PATH }],
          suggestions: [{ content }],
        },
      });
    expect(suggestions(spec('/{/to}'), { to: 'a b' })).toEqual(['/a\\ b']);
    expect(suggestions(spec('/other/{/to}'), { to: 'a' })).toEqual(['/a']);
    expect(suggestions(spec('/**'), { to: 'a' })).toEqual(['/a']);
  });
});
