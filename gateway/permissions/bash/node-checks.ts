import type { SyntaxNode } from 'unbash';

// Syntax whose effect is known to be no more than that of the commands and words in it. Anything else keeps a
// content rule from allowing the script.
const understood: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'AndOr',
  'Pipeline',
  'Time',
  'Negation',
  'Command',
  'Assignment',
  'CompoundList',
  'Subshell',
  'BraceGroup',
  'If',
  'Elif',
  'While',
  'Case',
  'CaseItem',
  'Redirected',
  'Redirect',
  'HereDoc',
  'HereDocDelimiter',
  'HereDocBody',
  'HereString',
  'FileDescriptor',
  'Word',
  'Literal',
  'Glob',
  'ExtendedGlob',
  'BraceExpansion',
  'SingleQuoted',
  'DoubleQuoted',
  'AnsiCQuoted',
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ProcessSubstitution',
  'Default',
  'Remove',
  'Replace',
]);

const arithmeticTests = ['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-v', '-R'];

/** Why this node keeps content rules from allowing the script, or undefined. */
export function blockerOf(node: SyntaxNode): string | undefined {
  if (node.type === 'For')
    return isPlainName(node.name.text) ? undefined : 'it loops over a special variable';
  if (node.type === 'Default' && (node.operator === '=' || node.operator === ':='))
    return 'it sets a variable inside an expansion';
  if (node.type === 'ParameterExpansion' && (node.prefix === '!' || node.index !== undefined))
    return 'it expands a variable by another one';
  return understood.has(node.type) ? undefined : `it uses ${syntaxNames[node.type] ?? node.type}`;
}

/** Why this node may run commands that the tree does not show, or undefined. */
export function hiddenWorkOf(node: SyntaxNode): string | undefined {
  if (node.type === 'TestUnary' && arithmeticTests.includes(node.operator))
    return evaluates(node.operand.value) ? 'a test evaluates text as arithmetic' : undefined;
  if (node.type === 'TestBinary' && arithmeticTests.includes(node.operator))
    return [node.left, node.right].some(word => evaluates(word.value))
      ? 'a test evaluates text as arithmetic'
      : undefined;
  if (node.type === 'Transform') return 'it expands the value of a variable again';
  return undefined;
}

const syntaxNames: Partial<Record<SyntaxNode['type'], string>> = {
  Function: 'a function',
  Coproc: 'a coprocess',
  Select: 'a menu loop',
  ArithmeticFor: 'arithmetic',
  ArithmeticCommand: 'arithmetic',
  ArithmeticExpansion: 'arithmetic',
  TestCommand: 'a [[ test',
  Transform: 'a transformed variable',
  Slice: 'arithmetic in an expansion',
  LocaleString: 'a translated string',
};

function evaluates(text: string): boolean {
  return /[$`[]/.test(text);
}

/** True for names that mean nothing to the shell, the loader or common programs: lower case, no "_". */
export function isPlainName(name: string): boolean {
  return /^[a-z][a-z0-9]*$/.test(name);
}
