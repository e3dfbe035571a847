import { type Command, parse, type Redirect } from 'unbash';
import { type CommandWord, readWord } from './command-word.ts';
import { isPlainName } from './node-checks.ts';
import type { CommandAssignment, SimpleCommand } from './simple-command.ts';

/** Reads a command node; undefined when it only sets variables or only redirects. */
export function readCommand(node: Command, homeDirectory: string | undefined): SimpleCommand | undefined {
  if (node.name === undefined) return undefined;
  const words = [readWord(node.name, { homeDirectory })];
  for (const argument of node.args) {
    if (argument.type === 'Word') words.push(readWord(argument, { homeDirectory }));
    else words.push(readAssignedWord(argument, homeDirectory));
  }
  const assignments = node.prefix.flatMap(part =>
    part.type === 'Assignment' ? [readAssignment(part, homeDirectory)] : [],
  );
  return { words, assignments, runsOthers: 'no', isGuess: false };
}

/** The words of a text that is one command and nothing else; undefined for any other text. */
export function plainWords(text: string): string[] | undefined {
  const script = parseSafely(text);
  const statement = script?.commands[0];
  if (statement?.command.type !== 'Command' || script?.commands.length !== 1) return undefined;
  const command = readCommand(statement.command, undefined);
  const isBare = statement.background !== true && statement.command.redirects.length === 0;
  if (command === undefined || !isBare || command.assignments.length > 0) return undefined;
  return command.words.every(word => word.isLiteral) ? command.words.map(word => word.text) : undefined;
}

function parseSafely(text: string): ReturnType<typeof parse> | undefined {
  try {
    const script = parse(text);
    return script.errors === undefined ? script : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a redirection; undefined when it opens no file, as in "2>&1". */
export function readRedirection(
  node: Redirect,
  homeDirectory: string | undefined,
): { access: 'read' | 'write'; target: CommandWord } | undefined {
  if (node.target === undefined) return undefined;
  const target = readWord(node.target, { homeDirectory });
  const duplicates = node.operator === '>&' || node.operator === '<&';
  if (duplicates && target.isLiteral && /^(\d+-?|-)$/.test(target.text)) return undefined;
  return { access: node.operator === '<' ? 'read' : 'write', target };
}

/**
 * True when a command that only sets variables sets one that may mean something to the shell or to programs, or
 * gives one a text that would run something if it were evaluated later.
 */
export function setsShellVariable(node: Command): boolean {
  return node.prefix.some(part => {
    if (part.type !== 'Assignment') return false;
    if (part.value.type !== 'Word' || part.index !== undefined || !isPlainName(part.name)) return true;
    const hidesCode = /['"\\].*[$`]/s.test(part.value.text) && part.value.value.includes('$');
    return hidesCode || part.value.value.includes('[');
  });
}

type Assignment = Extract<Command['prefix'][number], { type: 'Assignment' }>;

function readAssignment(node: Assignment, homeDirectory: string | undefined): CommandAssignment {
  const isWhole = node.value.type === 'Word' && node.append !== true && node.index === undefined;
  if (node.value.type !== 'Word' || !isWhole)
    return { name: node.name, value: { text: '', isLiteral: false } };
  return { name: node.name, value: readWord(node.value, { homeDirectory }) };
}

function readAssignedWord(node: Assignment, homeDirectory: string | undefined): CommandWord {
  const { name, value } = readAssignment(node, homeDirectory);
  return { text: `${name}=${value.text}`, isLiteral: value.isLiteral };
}
