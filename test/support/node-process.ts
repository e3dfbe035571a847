import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Starts a program with this Node and hands on each line it prints; its errors go to those of the test run. */
export function startNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): ChildProcess {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', onLine);
  return child;
}

/** Ends a process with SIGKILL and waits until it is gone; does nothing for one that ended. */
export async function killed(child: ChildProcess): Promise<void> {
  const exit = exitOf(child);
  child.kill('SIGKILL');
  await exit;
}

/** Resolves with exit code or signal, also of a process that has ended. */
export function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve(child.exitCode ?? child.signalCode);
  }
  return new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)));
}
