import { spawn } from 'node:child_process';

/** What a command that ended left behind. */
export interface CommandEnd {
  /** 0 when it did what it should; 127 when there is no such program, -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is run; without a limit it may take as long as it needs. */
export interface CommandOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

const NO_SUCH_PROGRAM = 127;

/** Runs a short command and returns what it said. Never fails by itself: how it ended is in the result. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandEnd> {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: options.signal,
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', chunk => {
      stdout += String(chunk);
    });
    child.stderr.on('data', chunk => {
      stderr += String(chunk);
    });
    child.once('error', error => resolve({ code: NO_SUCH_PROGRAM, stdout, stderr: error.message }));
    child.once('close', code => resolve({ code: code ?? -1, stdout, stderr }));
  });
}

/** Looks for a program by its name on PATH, and in the folders of system programs that a PATH may lack. */
export async function hasProgram(name: string, signal: AbortSignal): Promise<boolean> {
  const found = await runCommand('sh', ['-c', 'PATH="$PATH:/usr/sbin:/sbin" command -v "$1"', 'sh', name], {
    signal,
  });
  return found.code === 0;
}
