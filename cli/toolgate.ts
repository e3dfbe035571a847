import { fileURLToPath } from 'node:url';
import { createInterrupts } from './cli-io.ts';
import { runCli } from './run-cli.ts';

const interrupts = createInterrupts();
process.on('SIGINT', interrupts.trigger);
process.on('SIGTERM', interrupts.trigger);
// A reader that leaves early, such as "head", is no reason for a stack trace.
process.stdout.on('error', () => process.exit(0));

process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  workingFolder: process.cwd(),
  projectFolder: fileURLToPath(new URL('..', import.meta.url)),
  interrupts,
});
