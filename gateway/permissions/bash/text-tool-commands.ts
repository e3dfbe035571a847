import type { CommandWord } from './command-word.ts';
import type { OptionCommands } from './option-commands.ts';

const unknownScript: CommandWord = { text: '', isLiteral: false };

/** What an awk program starts: the strings beside system(), "|" and getline; unknown where they are put together. */
export function awkCommands(words: readonly CommandWord[]): OptionCommands | undefined {
  const program = words.find(
    (word, index) => !word.text.startsWith('-') && !/^-[vF]$/.test(words[index - 1]?.text ?? ''),
  );
  if (program === undefined) return undefined;
  // Without strings and patterns, in which these characters mean nothing.
  const code = program.text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\/(?:[^/\\\n]|\\.)*\//g, '//');
  const starts = /\bsystem\s*\(|\|&?(?!\|)/.exec(code.replaceAll('||', ''));
  if (starts === null) return undefined;
  const strings = [...program.text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text ?? '');
  const scripts = strings.map(text => ({ text: text.replaceAll(/\\(["\\/])/g, '$1'), isLiteral: true }));
  return { scripts: [...scripts, unknownScript], because: starts[0] };
}

// "e COMMAND" after any address, and the flag e of a substitution, which runs what the line has become.
const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const sedCommand = new RegExp(
  String.raw`(?:^|[;{}\n])\s*(?:${address}(?:\s*,\s*[~+]?${address})?)?\s*!?\s*e(?:\s+([^\n]*))?(?=$|\n)`,
);
const sedSubstitution = /s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[a-zA-Z0-9]*e/;

/** What a sed script starts. */
export function sedCommands(words: readonly CommandWord[]): OptionCommands | undefined {
  for (const word of words) {
    const text = word.text.replace(/^(-e|--expression=)/, '');
    const found = sedCommand.exec(text);
    if (found !== null)
      return {
        scripts: [found[1] === undefined ? unknownScript : { text: found[1], isLiteral: word.isLiteral }],
        because: 'e',
      };
    if (sedSubstitution.test(text)) return { scripts: [unknownScript], because: 's///e' };
  }
  return undefined;
}
