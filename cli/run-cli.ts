import { Command, CommanderError } from 'commander';
import type { CliIo } from './cli-io.ts';
import { rpcFailure } from './client/rpc-failure.ts';
import { type CommandContext, createCommandContext } from './command-context.ts';
import { CommandFailure, EXIT_CODES } from './command-failure.ts';
import { addApprovalsCommand } from './commands/approvals.ts';
import { addApproveCommand } from './commands/approve.ts';
import { addCallCommand } from './commands/call.ts';
import { addChatCommand } from './commands/chat.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDenyCommand } from './commands/deny.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addDownCommand } from './commands/down.ts';
import { addExecutorsCommand } from './commands/executors.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addRulesCommand } from './commands/rules.ts';
import { addRunCommand } from './commands/run.ts';
import { addSessionsCommand } from './commands/sessions.ts';
import { addStatusCommand } from './commands/status.ts';
import { addToolsCommand } from './commands/tools.ts';
import { addUpCommand } from './commands/up.ts';
import { addWatchCommand } from './commands/watch.ts';

const EXIT_CODE_HELP = `
Exit codes:
  0    it worked
  1    it failed
  2    the command or its input was wrong
  3    denied: by a rule, by a person, or because the token may not do this
  4    the gateway cannot be reached
  130  interrupted

Environment:
  TOOLGATE_ADDRESS, TOOLGATE_TOKEN, TOOLGATE_DATA stand for --address, a token and --data.
  NO_COLOR turns colours off.`;

/** Runs one command line and returns its exit code. Nothing is thrown: what went wrong is on standard error. */
export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = EXIT_CODES.ok;
  let address = '';
  const program = createProgram(io);
  const perform = async (
    command: Command,
    work: (context: CommandContext) => Promise<number>,
  ): Promise<void> => {
    const context = createCommandContext(command, io);
    address = context.address ?? '';
    exitCode = await work(context);
  };
  addUpCommand(program, perform);
  addDownCommand(program, perform);
  addStatusCommand(program, perform);
  addRunCommand(program, perform);
  addChatCommand(program, perform);
  addCallCommand(program, perform);
  addWatchCommand(program, perform);
  addToolsCommand(program, perform);
  addSessionsCommand(program, perform);
  addExecutorsCommand(program, perform);
  addRulesCommand(program, perform);
  addExplainCommand(program, perform);
  addApprovalsCommand(program, perform);
  addApproveCommand(program, perform);
  addDenyCommand(program, perform);
  addLogsCommand(program, perform);
  addDoctorCommand(program, perform);
  addCompletionCommand(program, perform);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (io.interrupts.signal.aborted) return EXIT_CODES.interrupted;
    return report(rpcFailure(error, address), io);
  }
}

function createProgram(io: CliIo): Command {
  return new Command('toolgate')
    .description(
      'Runs the tools of LLM agents: starts the gateway, talks to agents, decides what they may do.',
    )
    .option('--address <url>', 'address of the gateway (default: the one of the data folder)')
    .option('--token-file <file>', "file with the token (default: the owner's of the data folder)")
    .option('--data <folder>', 'data folder (default: .toolgate in the project)')
    .option('--json', 'write JSON lines for programs instead of text for people')
    .addHelpText('after', EXIT_CODE_HELP)
    .exitOverride()
    .configureOutput({
      writeOut: text => void io.stdout.write(text),
      writeErr: text => void io.stderr.write(text),
    });
}

function report(error: unknown, io: CliIo): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  if (error instanceof CommandFailure) {
    io.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  io.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT_CODES.failed;
}
