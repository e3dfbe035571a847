import fc from 'fast-check';

/** Quotes a text so that Bash reads it as one word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Ways to write a word so that Bash reads the same word: quotes, escapes, continued lines. */
function spellings(word: string): fc.Arbitrary<string> {
  const cut = fc.integer({ min: 0, max: word.length - 1 });
  const head = (at: number) => word.slice(0, at);
  const tail = (at: number) => word.slice(at);
  return fc.oneof(
    fc.constantFrom(word, `'${word}'`, `"${word}"`, `$'${word}'`, `\\${word}`),
    fc.constant(`$'\\x${word.charCodeAt(0).toString(16)}${word.slice(1)}'`),
    cut.map(at => `${head(at)}''${tail(at)}`),
    cut.map(at => `${head(at)}"${tail(at)}"`),
    cut.map(at => `${head(at)}\\${tail(at)}`),
    cut.map(at => `${head(at)}\\\n${tail(at)}`),
  );
}

const blanks = fc.constantFrom(' ', '  ', '\t', ' \\\n ');

/** A command of these words, each spelled and separated in some way. */
export function spelledCommand(words: readonly string[]): fc.Arbitrary<string> {
  const spelled = fc.tuple(...words.map(spellings));
  return fc.tuple(spelled, blanks).map(([parts, blank]) => parts.join(blank));
}

/** Commands that mean nothing, for the company of others. */
const fillers = fc.constantFrom(':', 'true', 'echo a', 'x=1', 'echo "b c" 2>&1');

// Contexts that run a statement in the same shell or one of its children, whatever the statement is.
const contexts: readonly ((script: string) => string)[] = [
  script => `( ${script} )`,
  script => `(${script}\n)`,
  script => `{ ${script}\n}`,
  script => `if ${script}\nthen :; fi`,
  script => `if true; then ${script}\nfi`,
  script => `if false; then :; else ${script}\nfi`,
  script => `for v in a; do ${script}\ndone`,
  script => `case a in a) ${script}\n;; esac`,
  script => `until ! { ${script}\n:; }; do break; done`,
  script => `while ${script}\nfalse; do :; done`,
  script => `f() { ${script}\n}; f`,
  script => `function g { ${script}\n}; g`,
  script => `x=$(${script}\n)`,
  script => `echo "$(${script}\n)"`,
  script => `echo "a\${x:-$(${script}\n)}b"`,
  script => `cat <(${script}\n)`,
  script => `cat <<< "$(${script}\n)"`,
  // A delimiter that none inside can have.
  script => `cat <<E${script.length}\n$(${script}\n)\nE${script.length}`,
  script => `[[ -n $(${script}\n) ]]`,
  script => `declare y=$(${script}\n)`,
  script => `z=(a "$(${script}\n)")`,
  script => `echo $((0 + $(${script}\n)0))`,
  script => `bash -c ${quoted(script)}`,
  script => `sh -ec ${quoted(script)}`,
  script => `eval ${quoted(script)}`,
  script => `trap ${quoted(script)} EXIT`,
  script => `! { ${script}\n}`,
  script => `time { ${script}\n}`,
  script => `{ ${script}\n} > /dev/null 2>&1`,
  script => `: | { ${script}\n}`,
  script => `{ ${script}\n} | cat`,
  script => `${script}\n# a comment ) " '`,
  script => `# a comment ( " '\n${script}`,
];

/** A script that runs the given one, in contexts inside one another and beside fillers. */
export function wrapped(script: fc.Arbitrary<string>, depth: number): fc.Arbitrary<string> {
  if (depth === 0) return script;
  const inner = wrapped(script, depth - 1);
  const between = fc.constantFrom('; ', ' && ', ' || ', '\n', ' & ');
  return fc.oneof(
    inner,
    fc.tuple(inner, fc.constantFrom(...contexts)).map(([text, context]) => context(text)),
    fc.tuple(fillers, between, inner).map(([filler, operator, text]) => `${filler}${operator}${text}`),
    fc.tuple(inner, fillers).map(([text, filler]) => `${text}\n${filler}`),
  );
}

// Programs that run the command behind them.
const prefixes = [
  'timeout 5',
  'nice -n 3',
  'nohup',
  'command',
  'env A=b',
  'env -i',
  'sudo -u x',
  'xargs -n 1',
  'stdbuf -o L',
  'setsid',
  'time',
  '2>&1',
  '</dev/null',
  'find . -exec',
];

/** A command behind programs that run it. */
export function carried(command: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const chain = fc.array(fc.constantFrom(...prefixes), { maxLength: 2 });
  const assignment = fc.constantFrom([], ['A=b'], ['A=b', 'C+=d']);
  return fc
    .tuple(assignment, chain, command)
    .map(([set, before, text]) => [...set, ...before, text].join(' '));
}

/** Text that looks like a script but need not be one. */
export const scriptLike: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'$(){}[]<>|&;"\'`\\\n \t#!*?~=:@-+/0aE'),
      fc.constantFrom(
        '$(',
        '<<E\n',
        '<<<',
        '((',
        '[[',
        '${',
        ' if ',
        ' do ',
        ' case ',
        'rm',
        ' -rf ',
        '&&',
        '||',
      ),
    ),
    { maxLength: 60 },
  )
  .map(pieces => pieces.join(''));

/**
 * Markers between pieces of Bash, most of it broken. No "/", "." or "~", so that nothing outside the current folder is
 * named, and no "()" behind a word, so that no function calls itself.
 */
export const markerText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom('m1', 'm2', 'm3').chain(spellings),
      fc.constantFrom(
        ' ',
        '\n',
        ';',
        ' && ',
        ' || ',
        ' | ',
        ' & ',
        '"',
        "'",
        '`',
        '\\',
        '#',
        '!',
        '$x',
        '=',
        '\\\n',
      ),
      fc.constantFrom(
        '$(',
        ')',
        '( ',
        '{ ',
        ' }',
        '<( ',
        '${x:-',
        '}',
        '$((',
        '))',
        '[[ -n ',
        ' ]]',
        '"$(',
        ')"',
      ),
      fc.constantFrom(
        'if ',
        ' then ',
        ' else ',
        ' fi',
        'for v in a; do ',
        ' done',
        'case a in a) ',
        ';; esac',
        'x=',
      ),
      fc.constantFrom(
        'cat <<E\n',
        '\nE\n',
        "<<'E'\n",
        '<<< ',
        '> f ',
        '2>&1',
        'eval ',
        'bash -c ',
        'time ',
        "$'",
        'coproc ',
      ),
      fc.constantFrom('declare -a a=(', 'a[', ']=', 'x+=', '*', '?', '{m1,m2}', 'test ', 'command ', 'let '),
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map(pieces => pieces.join(''));
