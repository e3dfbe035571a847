import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Language, type Node, Parser } from 'web-tree-sitter';
import type { SecondParser } from '#gateway/permissions/bash/second-reading.ts';

/** Loads the grammar of tree-sitter, the second of two parsers that must agree before a script may run unasked. */
export async function loadBashGrammar(): Promise<SecondParser> {
  await Parser.init();
  const file = fileURLToPath(import.meta.resolve('tree-sitter-bash/tree-sitter-bash.wasm'));
  const language = await Language.load(await readFile(file));
  const parser = new Parser();
  parser.setLanguage(language);
  return script => {
    try {
      return readTree(parser, script);
    } catch {
      // Some nesting is too deep for it.
      return undefined;
    }
  };
}

const COMMAND_NODES = ['command', 'declaration_command', 'unset_command', 'test_command'];

function readTree(parser: Parser, script: string): ReturnType<SecondParser> {
  const tree = parser.parse(script);
  if (tree === null) return undefined;
  try {
    const { rootNode } = tree;
    const commands = rootNode.descendantsOfType(COMMAND_NODES).flatMap(node => {
      const name = node === null ? undefined : nameOf(node);
      return node === null || name === undefined ? [] : [{ start: name.startIndex, end: node.endIndex }];
    });
    return { commands, isComplete: !rootNode.hasError };
  } finally {
    tree.delete();
  }
}

// The node that a command's name begins with; undefined for what is no command of its own.
function nameOf(node: Node): Node | undefined {
  if (node.type === 'test_command') return /^\[(?!\[)/.test(node.text) ? node : undefined;
  if (node.type !== 'command') return node;
  const name = node.childForFieldName('name');
  if (name === null) return undefined;
  if (name.text !== 'time' && name.text !== 'coproc') return name;
  // Reserved words, which this grammar takes for the command that follows them.
  const words = node.childrenForFieldName('argument');
  return words.find(word => word !== null && !word.text.startsWith('-')) ?? undefined;
}
