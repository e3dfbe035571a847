import { toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecisionSchema, PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { answerOf, answerTo, decideCall, type Situation, tools } from '#test/permission-calls.ts';
import { carried, scriptLike, spelledCommand, wrapped } from './script-grammar.ts';

const modes = fc.constantFrom(...Object.values(PermissionMode).filter(mode => typeof mode === 'number'));
const strictness = ['allow', 'ask', 'deny'];

const ruleTexts = fc.constantFrom(
  'Bash',
  'Bash(echo:*)',
  'Bash(echo a)',
  'Bash(rm:*)',
  'Bash(git push:*)',
  'Bash(* a)',
  'Bash(e* *)',
  'Read(src/**)',
  'Read(*.pem)',
  'Read(//etc/**)',
  'Write(/out/**)',
  'Write(~/x)',
  'WebFetch(domain:*.example.org)',
  'Search(a*)',
  '*',
);
const rules = fc.array(
  fc
    .tuple(fc.constantFrom('allow', 'ask', 'deny'), ruleTexts)
    .map(([behavior, text]) => `${behavior} ${text}`),
  { maxLength: 6 },
);

const commands = fc.oneof(
  wrapped(carried(spelledCommand(['echo', 'a'])), 2),
  wrapped(fc.constantFrom('rm x', 'git push', 'cat src/a.pem > out/b', 'cd /etc; cat passwd', 'ls $x'), 2),
  scriptLike,
);
const calls = fc.oneof(
  commands.map(command => ({ tool: tools.bash, input: { command } })),
  fc
    .constantFrom('src/a', '/etc/passwd', '/repo/out/b', 'k.pem', '/home/u/x', '../z', '.env')
    .chain(path =>
      fc
        .constantFrom(tools.read, tools.write, tools.edit)
        .map(tool => ({ tool, input: { file_path: path } })),
    ),
  fc
    .constantFrom('https://a.example.org/', 'http://x.test', 'a b')
    .map(url => ({ tool: tools.fetch, input: { url } })),
  fc.constantFrom('abc', 'b').map(query => ({ tool: tools.search, input: { query } })),
);

describe('a denied command', () => {
  it('stays denied however it is spelled, wrapped and accompanied', () => {
    const script = wrapped(carried(spelledCommand(['zap', 'it', 'now'])), 3);
    fc.assert(
      fc.property(
        script,
        fc.constantFrom('zap:*', 'zap it:*', 'zap it *'),
        modes,
        (command, content, mode) => {
          const situation: Situation = { mode, rules: ['allow Bash', `deny Bash(${content})`] };
          expect(answerTo(command, situation)).toBe('deny');
        },
      ),
      { numRuns: 600 },
    );
  });

  it('stays denied behind a path, as long as the program is the same', () => {
    const script = wrapped(spelledCommand(['/usr/bin/zap', 'x']), 2);
    fc.assert(
      fc.property(script, command => {
        expect(answerTo(command, { rules: ['allow Bash', 'deny Bash(zap:*)'] })).toBe('deny');
      }),
      { numRuns: 200 },
    );
  });
});

describe('a decision', () => {
  it('is never more lenient with one more rule that stops', () => {
    fc.assert(
      fc.property(
        calls,
        rules,
        ruleTexts,
        fc.constantFrom('ask', 'deny'),
        modes,
        (call, list, text, kind, mode) => {
          const before = answerOf(decideCall(call.tool, call.input, { mode, rules: list }));
          const after = answerOf(
            decideCall(call.tool, call.input, { mode, rules: [...list, `${kind} ${text}`] }),
          );
          expect(strictness.indexOf(after)).toBeGreaterThanOrEqual(strictness.indexOf(before));
        },
      ),
      { numRuns: 600 },
    );
  });

  it('is the same, with all its steps, in every order of the rules', () => {
    const reordered = rules.chain(list =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(calls, reordered, modes, (call, [list, other], mode) => {
        const bytes = (ordered: string[]) =>
          toBinary(DecisionSchema, decideCall(call.tool, call.input, { mode, rules: ordered }));
        expect(bytes(other)).toEqual(bytes(list));
      }),
      { numRuns: 300 },
    );
  });

  it('never fails, whatever the call holds', () => {
    const texts = fc.oneof(
      scriptLike,
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ maxLength: 200 }),
    );
    const values = fc.oneof(texts, fc.anything());
    fc.assert(
      fc.property(values, rules, modes, (value, list, mode) => {
        for (const tool of Object.values(tools)) {
          const input = { command: value, file_path: value, url: value, query: value };
          expect(strictness).toContain(answerOf(decideCall(tool, input, { mode, rules: list })));
        }
      }),
      { numRuns: 400 },
    );
  });

  it('never fails for any content of a rule', () => {
    fc.assert(
      fc.property(
        fc.oneof(scriptLike, fc.string({ unit: 'binary' })),
        calls,
        modes,
        (content, call, mode) => {
          const list = [
            `deny ${call.tool.name}(${content})`,
            `allow ${call.tool.name}(${content})`,
            `deny Read(${content})`,
          ];
          expect(strictness).toContain(answerOf(decideCall(call.tool, call.input, { mode, rules: list })));
        },
      ),
      { numRuns: 400 },
    );
  });
});
