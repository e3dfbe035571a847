import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Starts a program with this Node and hands on each line it prints; its errors go to `onErrorLine` or the test run's. */
export function startNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
  onErrorLine?: (line: string) => void,
): ChildProcess {
  const stderr = onErrorLine === undefined ? 'inherit' : 'pipe';
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', stderr] });
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', onLine);
  if (child.stderr !== null && onErrorLine !== undefined) {
    createInterface({ input: child.stderr }).on('line', onErrorLine);
  }
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
