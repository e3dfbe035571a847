import { describe, expect, it } from 'vitest';
import {
  escapeForDecision,
  escapeForTerminal,
  escapeInJson,
  escapeToOneLine,
} from '../../../cli/render/escape-untrusted.ts';

describe('text that a person decides by', () => {
  it.each([
    ['an escape sequence that would clear the screen', '\u001b[2J', '\\u{1b}[2J'],
    ['an 8-bit control sequence introducer', '\u009b2J', '\\u{9b}2J'],
    ['a title change ended by a bell', '\u001b]0;x\u0007', '\\u{1b}]0;x\\u{7}'],
    ['a carriage return that would overwrite the line', 'rm -rf /\rls', 'rm -rf /\\u{d}ls'],
    ['a backspace', 'ab\b', 'ab\\u{8}'],
    ['a tab', 'a\tb', 'a\\u{9}b'],
    ['a null byte', 'a\0b', 'a\\u{0}b'],
    ['delete', 'a\u007f', 'a\\u{7f}'],
    ['a right-to-left override', 'a\u202egpj.exe', 'a\\u{202e}gpj.exe'],
    ['bidi isolates', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
    ['bidi marks', 'a\u200e\u200f\u061c', 'a\\u{200e}\\u{200f}\\u{61c}'],
    ['a zero-width space', 'r\u200bm', 'r\\u{200b}m'],
    ['zero-width joiners', 'r\u200cm\u200d', 'r\\u{200c}m\\u{200d}'],
    ['a word joiner and a byte order mark', '\u2060\ufeff', '\\u{2060}\\u{feff}'],
    ['a soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
    ['a Hangul filler, which is a letter that shows nothing', 'a\u3164b', 'a\\u{3164}b'],
    ['a variation selector', 'a\ufe0f', 'a\\u{fe0f}'],
    ['tag characters above the basic plane', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
    ['a next-line character', 'a\u0085b', 'a\\u{85}b'],
    ['spaces that look like a plain one', 'a\u00a0b\u3000c', 'a\\u{a0}b\\u{3000}c'],
    ['private use, which any font may draw as anything', 'a\ue000', 'a\\u{e000}'],
  ])('shows %s', (_name, text, shown) => {
    expect(escapeForDecision(text)).toBe(shown);
  });

  it('leaves visible text of every script alone', () => {
    const text = 'echo "Grüße" | grep -c 漢字 && printf \'\\n\' # שלום 🙂 a\\b';
    expect(escapeForDecision(text)).toBe(text);
  });

  it('keeps lines as lines', () => {
    expect(escapeForDecision('one\ntwo\n')).toBe('one\ntwo\n');
  });

  it('leaves nothing out of a very long text', () => {
    const text = `${'a'.repeat(500_000)}\u202e${'b'.repeat(500_000)}`;
    expect(escapeForDecision(text)).toBe(`${'a'.repeat(500_000)}\\u{202e}${'b'.repeat(500_000)}`);
  });
});

describe('running text on a terminal', () => {
  it('cannot send the terminal a command', () => {
    expect(escapeForTerminal('\u001b[31mred\u001b[0m \u0007')).toBe('\\u{1b}[31mred\\u{1b}[0m \\u{7}');
  });

  it('cannot overwrite a line or reorder its letters', () => {
    expect(escapeForTerminal('safe\revil \u202eabc')).toBe('safe\\u{d}evil \\u{202e}abc');
  });

  it('keeps tabs, lines and joined emoji, and reads Windows line ends as lines', () => {
    expect(escapeForTerminal('a\tb\r\nc ❤\ufe0f 👩\u200d🚀')).toBe('a\tb\nc ❤\ufe0f 👩\u200d🚀');
  });

  it('shows line ends when it must stay on one line', () => {
    expect(escapeToOneLine('a\nb\tc')).toBe('a\\u{a}b\\u{9}c');
  });
});

describe('JSON for a person to edit', () => {
  it('means the same and shows everything on one line', () => {
    const json = '{\n  "a": "x\u202ey\u{e0041}",\n  "b\u200b": [1]\n}';
    const shown = escapeInJson(json);
    expect(shown).toBe('{ "a": "x\\u202ey\\udb40\\udc41", "b\\u200b": [1] }');
    expect(JSON.parse(shown)).toEqual(JSON.parse(json));
  });
});
