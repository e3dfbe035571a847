import type { SimpleCommand } from './simple-command.ts';

// As many as a script of the greatest parsed length can hold, so that a long beginning hides nothing.
const mostGuesses = 50_000;
const mostWords = 40;

/**
 * Commands that a text may hold when it cannot be parsed, found by splitting it at everything that separates
 * commands. Only rules that stop a call may look at guesses.
 */
export function guessCommands(text: string): SimpleCommand[] {
  const pieces = text.replaceAll('\\\n', '').split(/(?:\$\(|[<>]\(|[;&|\n(){}`])+/, mostGuesses);
  return pieces.flatMap(piece => {
    const words = piece
      .replaceAll(/['"\\]/g, '')
      .trim()
      .split(/\s+/, mostWords);
    const start = words.findIndex(
      word => !/^(\w+=|[<>!]|if$|then$|else$|elif$|do$|while$|until$|time$)/.test(word),
    );
    if (start < 0 || words[start] === '') return [];
    return [
      {
        words: words.slice(start).map(word => ({ text: word, isLiteral: !word.includes('$') })),
        assignments: [],
        runsOthers: 'no',
        isGuess: true,
      },
    ];
  });
}
