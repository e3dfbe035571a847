import type { DoubleQuotedChild, Word, WordPart } from 'unbash';

/** One word of a command after quote removal. */
export interface CommandWord {
  /** The word, or as much of its beginning as is certain before the command runs. */
  readonly text: string;
  /** False when more text, or more words, may follow from expansion at run time. */
  readonly isLiteral: boolean;
}

/** What is known about the shell that will expand the words. */
export interface WordSurroundings {
  /** Value of HOME and of "~"; undefined when the script may have changed it. */
  readonly homeDirectory: string | undefined;
}

type KnownText = { readonly text: string; readonly isLiteral: boolean; readonly maySplit: boolean };

const nothingKnown: CommandWord = { text: '', isLiteral: false };

/** Reads a word of the syntax tree. Whatever is not surely literal comes out as not literal. */
export function readWord(word: Word, surroundings: WordSurroundings): CommandWord {
  const source = word.text.replaceAll('\\\n', '');
  if (source.startsWith('~')) return readTilde(word, source, surroundings);
  if (word.parts === undefined) return { text: word.value, isLiteral: true };
  return readParts(word.parts, surroundings);
}

function readTilde(word: Word, source: string, surroundings: WordSurroundings): CommandWord {
  const home = surroundings.homeDirectory;
  if (home === undefined || !/^~($|\/)/.test(source)) return nothingKnown;
  const rest =
    word.parts === undefined ? { text: word.value, isLiteral: true } : readParts(word.parts, surroundings);
  return { text: home + rest.text.slice(1), isLiteral: rest.isLiteral };
}

function readParts(parts: readonly WordPart[], surroundings: WordSurroundings): CommandWord {
  let text = '';
  for (const part of parts) {
    const known = readPart(part, surroundings);
    // An unquoted expansion may split into words that have nothing to do with the text before it.
    if (known.maySplit) return nothingKnown;
    text += known.text;
    if (!known.isLiteral) return { text, isLiteral: false };
  }
  return { text, isLiteral: true };
}

function readPart(part: WordPart, surroundings: WordSurroundings): KnownText {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { text: part.value, isLiteral: true, maySplit: false };
    case 'DoubleQuoted':
      return { ...readQuoted(part.parts, surroundings), maySplit: false };
    case 'ProcessSubstitution':
      // The name of a pipe, which Bash puts there.
      return { text: '/dev/fd/', isLiteral: false, maySplit: false };
    case 'Glob':
      return { text: '', isLiteral: false, maySplit: false };
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      const value = knownVariable(part.text, surroundings);
      if (value !== undefined) return { text: value, isLiteral: true, maySplit: false };
      return { ...nothingKnown, maySplit: true };
    }
    default:
      return { ...nothingKnown, maySplit: true };
  }
}

function readQuoted(parts: readonly DoubleQuotedChild[], surroundings: WordSurroundings): CommandWord {
  let text = '';
  for (const part of parts) {
    const known = part.type === 'Literal' ? part.value : knownExpansion(part, surroundings);
    if (known === undefined) return { text, isLiteral: false };
    text += known;
  }
  return { text, isLiteral: true };
}

function knownExpansion(
  part: Exclude<DoubleQuotedChild, { type: 'Literal' }>,
  surroundings: WordSurroundings,
): string | undefined {
  if (part.type === 'CommandExpansion') return quotedHeredocText(part);
  return knownVariable(part.text, surroundings);
}

function knownVariable(text: string, surroundings: WordSurroundings): string | undefined {
  const isHome = text === '$HOME' || text === `\${HOME}`;
  // A value that the shell would split or expand again is left alone.
  return isHome && /^[\w./-]+$/.test(surroundings.homeDirectory ?? '')
    ? surroundings.homeDirectory
    : undefined;
}

// "$(cat <<'EOF' … )" only quotes a longer text, and is how agents write commit messages.
function quotedHeredocText(
  part: Extract<DoubleQuotedChild, { type: 'CommandExpansion' }>,
): string | undefined {
  const script = part.script;
  const statement = script?.commands[0];
  if (script === undefined || script.errors !== undefined || script.commands.length !== 1) return undefined;
  if (statement?.background === true || statement?.command.type !== 'Command') return undefined;
  const { name, prefix, suffix } = statement.command;
  const heredoc = suffix[0];
  if (name?.text !== 'cat' || prefix.length > 0 || suffix.length !== 1) return undefined;
  // Bash takes tabs out of the text of <<-, so what is read here would not be what it gets.
  if (heredoc?.type !== 'HereDoc' || heredoc.operator !== '<<') return undefined;
  if (heredoc.delimiter?.quoted !== true) return undefined;
  return heredoc.body.text.replace(/\n+$/, '');
}
