import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setUp } from '../cli/setup/set-up.ts';
import { benchBashTrue } from './bash-true.ts';
import { benchCallTool } from './call-tool.ts';
import { benchPermissions } from './permissions.ts';
import { describeMachine } from './support/machine.ts';
import { type Comparison, resultTable } from './support/result-table.ts';

const USAGE = `Usage: npm run bench -- [call-tool] [bash-true] [permissions] [options]

Runs the named benchmarks, or all, and prints one table. It writes nothing that stays.

  --calls N         measured calls of each subject (default: 2000, for bash-true 300)
  --warm-up N       calls of each subject before the measuring (default: 500, for bash-true 30)
  --node-option O   option of Node for gateway and executor, for example --cpu-prof; may be given more than once
  --help
`;

const PROJECT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'string' },
    'warm-up': { type: 'string' },
    'node-option': { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
process.exitCode = await main().catch(error => {
  if (!interrupted.signal.aborted) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return interrupted.signal.aborted ? 130 : 1;
});

async function main(): Promise<number> {
  const unknown = positionals.filter(name => !['call-tool', 'bash-true', 'permissions'].includes(name));
  if (values.help || unknown.length > 0) {
    process.stderr.write(USAGE);
    return values.help ? 0 : 2;
  }
  const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
  const comparisons: Comparison[] = [];
  if (isWanted('call-tool')) comparisons.push(await benchCallTool(optionsOf(2000, 500)));
  if (isWanted('bash-true')) {
    const { signal } = interrupted;
    const ready = await setUp({ projectFolder: PROJECT_FOLDER, output: process.stderr, signal });
    comparisons.push(await benchBashTrue({ ...optionsOf(300, 30), setUp: ready }));
  }
  if (isWanted('permissions')) comparisons.push(...(await benchPermissions(optionsOf(2000, 500))));
  console.log(`${describeMachine()}\n\n${resultTable(comparisons)}`);
  return 0;
}

function optionsOf(calls: number, warmUpCalls: number) {
  return {
    calls: count('--calls', values.calls, calls),
    warmUpCalls: count('--warm-up', values['warm-up'], warmUpCalls),
    nodeOptions: values['node-option'],
    signal: interrupted.signal,
  };
}

function count(option: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`${option}: "${text}" is no whole number above 0`);
}
