import { spawn } from 'node:child_process';

/** Runs a program of the project with its output on this terminal and returns its exit code. */
export function runVisibly(
  command: string,
  args: readonly string[],
  options: { readonly projectFolder: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.projectFolder,
      env: options.env,
      stdio: ['ignore', 'inherit', 'inherit'],
      signal: options.signal,
    });
    child.once('error', reject);
    child.once('close', code => resolve(code ?? 1));
  });
}
