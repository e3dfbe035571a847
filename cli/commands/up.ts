import type { Command } from 'commander';
import { seconds } from '../bootstrap/progress.mjs';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../command-failure.ts';
import { runDemoTurn } from '../demo/demo-turn.ts';
import { examples } from '../help/examples.ts';
import { bringUp, type RunningToolgate } from '../processes/bring-up.ts';
import { setUp } from '../setup/set-up.ts';
import type { Perform } from './perform.ts';

/** Time of one phase, for the sum at the end. */
interface Phase {
  readonly name: string;
  readonly ms: number;
}

/** Adds `toolgate up`. */
export function addUpCommand(program: Command, perform: Perform): void {
  program
    .command('up')
    .description('set up what is missing and start gateway and sandbox executor; leaves alone what runs')
    .option('--demo', 'then let the example agent work on examples/data/orders.csv')
    .addHelpText(
      'after',
      examples(
        ['toolgate up', 'start what does not run; "npm start" does this and the demo'],
        ['TOOLGATE_LISTEN=127.0.0.1:8000 toolgate --data ./mine up', 'a second one beside it'],
      ),
    )
    .action((options: { demo?: boolean }, command: Command) =>
      perform(command, context => up(context, options.demo === true)),
    );
}

async function up(context: CommandContext, withDemo: boolean): Promise<number> {
  const { io, folder } = context;
  const { projectFolder, env } = io;
  const { signal } = io.interrupts;
  const output = context.isJson ? io.stderr : io.stdout;
  const phases: Phase[] = preparedPhases(env);
  const timed = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const startedAtMs = performance.now();
    const result = await work();
    phases.push({ name, ms: Math.round(performance.now() - startedAtMs) });
    return result;
  };
  const ready = await timed('set-up', () => setUp({ projectFolder, output, signal }));
  const running = await timed('start', () =>
    bringUp({ folder, projectFolder, env, output, signal, setUp: ready }),
  );
  let exitCode: number = EXIT_CODES.ok;
  if (withDemo) exitCode = await timed('demo', () => runDemoTurn(context, running.address));
  context.say(summary(context, running, phases));
  if (context.isJson) context.writeJson({ ...running, dataFolder: folder.root, phases });
  return exitCode;
}

function preparedPhases(env: NodeJS.ProcessEnv): Phase[] {
  const preparedMs = Number(env['TOOLGATE_PREPARED_MS']);
  return Number.isFinite(preparedMs) ? [{ name: 'packages and generated code', ms: preparedMs }] : [];
}

function summary(context: CommandContext, running: RunningToolgate, phases: readonly Phase[]): string {
  const { style, folder } = context;
  const line = (label: string, text: string): string => `  ${style('dim', label.padEnd(9))} ${text}`;
  const state = running.started.length === 0 ? 'was running already' : 'runs';
  return [
    '',
    style('bold', `Toolgate ${state} at ${running.address}`),
    line(
      'talk',
      'cli/toolgate run --agent analyst --file examples/data/orders.csv "What is the total revenue?"',
    ),
    line('tools', 'cli/toolgate call Bash \'{"command": "uname -a"}\''),
    line('look', 'cli/toolgate status'),
    line('clients', `Connect, gRPC and gRPC-Web on that address; tokens in ${folder.root}/tokens`),
    line('logs', folder.logs),
    line('stop', 'npm stop'),
    line('times', phases.map(({ name, ms }) => `${name} ${seconds(ms, 1)}`).join(', ')),
  ].join('\n');
}
