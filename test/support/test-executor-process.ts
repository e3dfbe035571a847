import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { killed, startNode } from '#test/node-process.ts';
import { RunLog } from '#test/run-log.ts';

/** The test executor as a process of its own, which can be killed and started again on the same port. */
export interface TestExecutorProcess extends AsyncDisposable {
  readonly address: string;
  readonly token: string;
  readonly log: RunLog;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts the process and waits until it listens. */
export async function startTestExecutorProcess(
  options: { readonly port?: number; readonly token?: string; readonly leaseMs?: number } = {},
): Promise<TestExecutorProcess> {
  const token = options.token ?? randomUUID();
  const log = new RunLog();
  const main = fileURLToPath(new URL('test-executor-main.ts', import.meta.url));
  const started = Promise.withResolvers<string>();
  const child = startNode([main, JSON.stringify({ ...options, token })], process.env, line => {
    const said = JSON.parse(line);
    if ('address' in said) started.resolve(said.address);
    else log.add(said);
  });
  child.once('exit', () => started.reject(new Error('the test executor did not start')));
  const address = await started.promise;
  const kill = (): Promise<void> => killed(child);
  return { address, token, log, kill, [Symbol.asyncDispose]: kill };
}
