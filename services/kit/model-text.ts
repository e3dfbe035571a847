const ESCAPE = '\u001b';
/** Characters of an unfinished line that is waited for. */
const PENDING_LIMIT = 64 * 1024;
/** Control characters other than tab and line feed. */
const CONTROL = /[\p{Cc}--[\t\n]]/v;
const ALL_CONTROL = new RegExp(CONTROL.source, 'gv');
/** CSI sequences, OSC and other strings up to their terminator, and two-character escapes (ECMA-48). */
const ESCAPE_SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?|[ -/]*[0-Z\\\\^-~])`,
  'g',
);
/** Where the pictures of control characters begin in Unicode. */
const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;

/** Rewrites raw terminal output, piece by piece, into what a model should read. */
export class ModelText {
  #pending = '';

  /** The lines that are complete so far; an unfinished one may still be redrawn and waits for more. */
  write(text: string): string {
    const all = this.#pending + text;
    const lineStart = all.lastIndexOf('\n') + 1;
    const waits = all.length - lineStart <= PENDING_LIMIT;
    this.#pending = waits ? all.slice(lineStart) : '';
    return reduce(waits ? all.slice(0, lineStart) : all);
  }

  /** What was still waiting. */
  end(): string {
    const rest = this.#pending;
    this.#pending = '';
    return reduce(rest);
  }
}

/** Drops escape sequences, keeps of a redrawn line what was drawn last, and shows other control characters. */
function reduce(text: string): string {
  if (!CONTROL.test(text)) return text;
  return text.replaceAll(ESCAPE_SEQUENCES, '').split('\n').map(reduceLine).join('\n');
}

function reduceLine(line: string): string {
  if (!CONTROL.test(line)) return line;
  const drawn = line.split('\r').filter(part => part !== '');
  return withoutOverstrikes(drawn.at(-1) ?? '').replaceAll(ALL_CONTROL, picture);
}

/** A backspace takes back the character before it. */
function withoutOverstrikes(line: string): string {
  if (!line.includes('\b')) return line;
  const kept: string[] = [];
  for (const character of line) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}

function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code === DELETE) return '\u2421';
  return code < DELETE ? String.fromCharCode(CONTROL_PICTURES + code) : '\ufffd';
}
