import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';

// Nodes that account for all of their source text.
const whole: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Word',
  'Assignment',
  'Redirect',
  'HereString',
  'HereDoc',
  'HereDocBody',
]);

const knownBetween =
  /^(?:\s|[;&|!{}()]|\b(?:if|then|else|elif|fi|for|in|do|done|while|until|case|esac|time)\b|-p\b)*$/;

/**
 * True when the parser passed over something without a word: text that belongs to no node and is neither
 * separator, bracket, keyword nor comment, or brackets that do not match.
 */
export function holdsUnreadText(source: string, script: ParsedScript): boolean {
  const between = textBetween(source, script)
    .replaceAll('\\\n', ' ')
    .replaceAll(/(?<=^|[\s;&|()])#[^\n]*/g, ' ');
  if (!knownBetween.test(between)) return true;
  const isCase = /\bcase\b/.test(between);
  return !isCase && between.split('(').length !== between.split(')').length;
}

function textBetween(source: string, script: ParsedScript): string {
  const ranges = wholeRanges(script).sort((left, right) => left.pos - right.pos);
  let text = '';
  let position = 0;
  for (const { pos, end } of ranges) {
    // A space stands for the node, so that its neighbours stay apart.
    if (pos > position) text += `${source.slice(position, pos)} `;
    position = Math.max(position, end);
  }
  return text + source.slice(position);
}

function wholeRanges(script: ParsedScript): { pos: number; end: number }[] {
  const ranges: { pos: number; end: number }[] = [];
  const pending: SyntaxNode[] = [script];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (whole.has(node.type)) ranges.push({ pos: node.pos, end: node.end });
    if (node.type === 'HereDoc') ranges.push(...heredocRanges(node));
    else if (!whole.has(node.type)) forEachChild(node, child => pending.push(child));
  }
  return ranges;
}

function heredocRanges(node: Extract<SyntaxNode, { type: 'HereDoc' }>): { pos: number; end: number }[] {
  return node.closing === undefined ? [node.body] : [node.body, node.closing];
}
