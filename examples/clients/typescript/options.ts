import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

/** What the command line asks for. */
export interface Options {
  /** The texts of the message: what to say, then each file. */
  readonly texts: readonly string[];
  readonly agent: string;
  readonly address: string;
  readonly token: string;
  /** Allow every call that asks. */
  readonly yes: boolean;
}

const USAGE =
  'Usage: main.ts MESSAGE [--file FILE]... [--agent NAME] [--address URL] [--token-file FILE] [--yes]';

/** Reads the command line and the files it names; rejects with a line for people. */
export async function parseOptions(args: string[]): Promise<Options> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      file: { type: 'string', multiple: true, default: [] },
      agent: { type: 'string', default: 'analyst' },
      address: { type: 'string', default: 'http://127.0.0.1:7420' },
      'token-file': { type: 'string', default: '.toolgate/tokens/owner.token' },
      yes: { type: 'boolean', default: false },
    },
  });
  const [message, ...others] = positionals;
  if (message === undefined || others.length > 0) throw new Error(USAGE);
  const files = values.file.map(async name => `File ${basename(name)}:\n${await textOf(name)}`);
  return {
    texts: [message, ...(await Promise.all(files))],
    agent: values.agent,
    address: values.address,
    token: (await textOf(values['token-file'])).trim(),
    yes: values.yes,
  };
}

async function textOf(name: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(name));
  } catch (error) {
    throw new Error(`Cannot read ${name} as text: ${error instanceof Error ? error.message : error}`);
  }
}
