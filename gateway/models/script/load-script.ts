import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { ModelError } from '../model.ts';
import { type Script, scriptSchema } from './script-schema.ts';

/** Reads and checks a script; `name` is what errors call it. Throws a ModelError that says what is wrong where. */
export async function loadScript(path: string, name: string, signal: AbortSignal): Promise<Script> {
  return parseScript(await readScript(path, name, signal), name);
}

async function readScript(path: string, name: string, signal: AbortSignal): Promise<string> {
  try {
    return await readFile(path, { encoding: 'utf8', signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new ModelError({ reason: 'BAD_SCRIPT', message: `Script ${name} cannot be read.`, cause });
  }
}

/** Checks the text of a script; problems carry line and column, counted from 1. */
export function parseScript(text: string, name: string): Script {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [syntaxError] = document.errors;
  if (syntaxError !== undefined) {
    throw badScript([`${at(syntaxError.pos[0])}: ${syntaxError.message}`]);
  }
  const checked = scriptSchema.safeParse(toPlainData(document, name));
  if (checked.success) {
    return checked.data;
  }
  throw badScript(
    checked.error.issues.map(issue => {
      const path = issue.path.filter(key => typeof key !== 'symbol');
      const where = path.length === 0 ? '' : `${path.join('.')}: `;
      return `${at(offsetOf(document, path))}: ${where}${issue.message}`;
    }),
  );
}

function toPlainData(document: ReturnType<typeof parseDocument>, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw badScript([`${name}: ${error instanceof Error ? error.message : 'it cannot be read as YAML'}`]);
  }
}

function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly (string | number)[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) {
      return node.range[0];
    }
  }
  return 0;
}

function badScript(problems: readonly string[]): ModelError {
  return new ModelError({
    reason: 'BAD_SCRIPT',
    message: `The script is not valid.\n${problems.join('\n')}`,
  });
}
