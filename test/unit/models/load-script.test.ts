import { expect, test } from 'vitest';
import { parseScript } from '#gateway/models/script/load-script.ts';

test.each([
  {
    problem: 'broken YAML',
    script: 'turns:\n  - text: "open',
    message: /^The script is not valid\.\na\.yaml:2:\d+: /,
  },
  {
    problem: 'an unknown key',
    script: 'turns:\n  - text: a\n  - txt: b\n',
    message: /a\.yaml:3:5: turns\.1: .*"txt"/,
  },
  {
    problem: 'a wrong type deep inside',
    script: 'turns:\n  - calls:\n      - tool: Read\n        input: 7\n',
    message: /a\.yaml:4:16: turns\.0\.calls\.0\.input: /,
  },
  {
    problem: 'a hole nobody fills',
    script: 'turns:\n  - text: the {{total}}\n',
    message: /a\.yaml:2:5: turns\.0: \{\{total\}\} is neither "user" nor a capture of this turn \(user\)/,
  },
  {
    problem: 'a pattern that is none',
    script: "turns: [{ capture: { a: { from: user, pattern: '(' } } }]",
    message: /turns\.0\.capture\.a\.pattern: .*regular expression/i,
  },
  {
    problem: 'a repeating turn that is not the last',
    script: 'turns: [{ text: a, repeat: true }, { text: b }]',
    message: /turns\.0\.repeat: only the last turn can repeat/,
  },
  { problem: 'neither turns nor replies', script: 'description: x', message: /a\.yaml:1:1: .*either/ },
  { problem: 'an empty file', script: '', message: /a\.yaml:1:1: / },
  {
    problem: 'aliases that would fill the memory',
    script: [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]',
      'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
      'd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]',
    ].join('\n'),
    message: /alias/,
  },
])('a script with $problem is refused with its place', ({ script, message }) => {
  expect(() => parseScript(script, 'a.yaml')).toThrow(
    expect.objectContaining({
      name: 'ModelError',
      reason: 'BAD_SCRIPT',
      message: expect.stringMatching(message),
    }),
  );
});
