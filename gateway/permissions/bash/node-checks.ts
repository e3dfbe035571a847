import type { SyntaxNode, WordPart } from 'unbash';

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
  const quoteless = textWithoutQuoting(node);
  if (quoteless !== undefined && /['"]/.test(quoteless) && /\$\(|`/.test(quoteless))
    return 'quotes do not stop a substitution where it has one';
  if (node.type === 'Assignment') return hiddenByAssignment(node);
  if (node.type === 'Transform') return 'it expands the value of a variable again';
  return undefined;
}

// Text of nodes in which single quotes may be ordinary characters, so that what they seem to protect runs.
function textWithoutQuoting(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ArithmeticExpansion':
    case 'ParameterExpansion':
      return node.text;
    case 'ArithmeticCommand':
      return node.body;
    case 'ArithmeticWord':
      return node.value;
    case 'Assignment':
      return node.index?.text;
    default:
      return undefined;
  }
}

// Variables whose value is a program, a script or a file of either, for the shell, the loader or common programs.
const codeVariable =
  /^(BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|LD_.+|DYLD_.+|PATH|IFS|SHELLOPTS|BASHOPTS|BASH_FUNC.*|GIT_.+|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|PYTHON(STARTUP|PATH|HOME)|PERL5(LIB|OPT|DB)|RUBY(LIB|OPT)|NODE_(OPTIONS|PATH)|JAVA_TOOL_OPTIONS|SHELL|CDPATH|HOME)$/;

function hiddenByAssignment(node: Extract<SyntaxNode, { type: 'Assignment' }>): string | undefined {
  if (codeVariable.test(node.name)) return `it sets ${node.name}, which decides what runs`;
  const words = node.value.type === 'Word' ? [node.value] : node.value.elements;
  const isQuotedCode = words.some(word =>
    /\$\(|`|\$\{/.test(literalTextOf(word.parts) ?? (word.parts === undefined ? word.value : '')),
  );
  return isQuotedCode ? 'it keeps a command in a variable' : undefined;
}

// The text that quotes keep from being expanded now.
function literalTextOf(parts: readonly WordPart[] | undefined): string | undefined {
  return parts
    ?.map(part => {
      if (part.type === 'DoubleQuoted') return literalTextOf(part.parts) ?? '';
      return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted'
        ? part.value
        : '';
    })
    .join('');
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
