import type { SyntaxNode } from 'unbash';
import { programNameOf, type SimpleCommand } from './simple-command.ts';

const variableSetters = [
  'export',
  'declare',
  'typeset',
  'local',
  'readonly',
  'read',
  'printf',
  'mapfile',
  'readarray',
  'unset',
  'getopts',
  'let',
];

const shellChangers = [
  ...variableSetters.filter(name => name !== 'printf'),
  'alias',
  'unalias',
  'hash',
  'enable',
  'shopt',
  'set',
  'source',
  '.',
  'eval',
  'exec',
  'trap',
  'bind',
  'complete',
  'ulimit',
  'umask',
];

/** True for builtins after which the shell may take later words of the same script for something else. */
export function changesShell(command: SimpleCommand): boolean {
  const name = programNameOf(command);
  return name !== undefined && shellChangers.includes(name);
}

/** True when HOME, and so "~", may have another value after the command. */
export function mayChangeHome(command: SimpleCommand): boolean {
  const name = programNameOf(command);
  if (name === undefined || name === 'source' || name === '.') return true;
  if (command.assignments.some(assignment => assignment.name === 'HOME')) return true;
  const setsVariables = variableSetters.includes(name) || name === 'env' || name === 'sudo';
  return setsVariables && command.words.some(word => !word.isLiteral || word.text.includes('HOME'));
}

/** True for an assignment of HOME anywhere in the tree. */
export function assignsHome(node: SyntaxNode): boolean {
  return node.type === 'Assignment' && node.name === 'HOME';
}

const evaluatingBuiltins = [...variableSetters, 'test', '[', 'wait'];

/**
 * True when a builtin evaluates one of its words as a variable name with a subscript, which runs substitutions
 * that quotes seemed to make harmless.
 */
export function evaluatesSubscript(command: SimpleCommand): boolean {
  const name = programNameOf(command);
  if (name === undefined || !evaluatingBuiltins.includes(name)) return false;
  if (name === 'printf' && !command.words.some(word => word.text.startsWith('-v'))) return false;
  return command.words.some(word => /\[.*[$`]/s.test(word.text));
}
