import { existsSync } from 'node:fs';
import { Code, ConnectError } from '@connectrpc/connect';
import { type ExecutorInfo, ExecutorState } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { rpcFailure } from '../client/rpc-failure.ts';
import type { CommandContext } from '../command-context.ts';
import { listenAddress, readGatewayFile, SANDBOX_EXECUTOR } from '../processes/gateway-file.ts';
import { isServing, portProblem } from '../processes/gateway-process.ts';
import { livingPid } from '../processes/pid-file.ts';
import { portHolder } from '../processes/port-holder.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { clockProblem } from './clock-problem.ts';
import { type Finding, finding } from './finding.ts';

const HEALTH_TIMEOUT_MS = 2_000;

/** Looks at the gateway: that it answers, what time it has, that it takes the token, and how its executors are. */
export async function* examineGateway(context: CommandContext): AsyncGenerator<Finding> {
  const { address } = context;
  const serves = address !== undefined && (await isServing(address));
  const where = address === undefined ? '' : ` at ${address}`;
  yield finding(`Gateway${where}`, serves ? undefined : await silenceProblem(context));
  if (!serves) return;
  using client = context.connect();
  yield finding('Clock of the gateway', await gatewayClockProblem(client));
  yield* examineExecutors(context, client);
}

async function silenceProblem({ folder, io, address }: CommandContext): Promise<string> {
  const pid = livingPid(folder.pidFiles.gateway);
  if (pid !== undefined) {
    return `its process ${pid} runs but does not answer: look at "toolgate logs gateway", then "toolgate down" and "npm start".`;
  }
  const start = 'run "npm start"';
  if (address !== undefined) {
    const holder = localHolder(new URL(address));
    return holder === undefined
      ? `it does not answer: ${start}, or name another with --address.`
      : `${holder} listens there and is no gateway: stop that, or name another address with --address.`;
  }
  const problem = await portProblem(listenAddress(readGatewayFile(folder), io.env), folder);
  return problem ?? `it does not run: ${start}.`;
}

function localHolder({ hostname, port }: URL): string | undefined {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return isLocal && port !== '' ? portHolder(Number(port)) : undefined;
}

async function gatewayClockProblem(client: GatewayClient): Promise<string | undefined> {
  let theirMs = Number.NaN;
  const askedAtMs = Date.now();
  await client.health.check(
    {},
    {
      timeoutMs: HEALTH_TIMEOUT_MS,
      onHeader: headers => {
        theirMs = Date.parse(headers.get('date') ?? '');
      },
    },
  );
  return Number.isNaN(theirMs) ? undefined : clockProblem('the gateway', theirMs - askedAtMs);
}

async function* examineExecutors(context: CommandContext, client: GatewayClient): AsyncGenerator<Finding> {
  try {
    const { executors } = await client.executors.listExecutors({}, { signal: context.io.interrupts.signal });
    yield finding('Token', undefined);
    for (const executor of executors) {
      yield finding(`Executor ${escapeToOneLine(executor.name)}`, executorProblem(executor, context));
    }
  } catch (error) {
    const failure = rpcFailure(error, client.address);
    const isRefusal =
      error instanceof ConnectError &&
      (error.code === Code.Unauthenticated || error.code === Code.PermissionDenied);
    if (!isRefusal || !(failure instanceof Error)) throw error;
    yield finding('Token', failure.message);
  }
}

function executorProblem(executor: ExecutorInfo, { folder }: CommandContext): string | undefined {
  if (executor.state === ExecutorState.READY) return undefined;
  const said = escapeToOneLine(executor.message) || 'it is not ready';
  if (executor.name !== SANDBOX_EXECUTOR || !existsSync(folder.pidFiles.sandboxExecutor)) {
    return `${said}: start it at ${escapeToOneLine(executor.address)}, or correct its address and token in the gateway's configuration.`;
  }
  return livingPid(folder.pidFiles.sandboxExecutor) === undefined
    ? `${said}: its process has ended, run "npm start".`
    : `${said}: look at "toolgate logs executor".`;
}
