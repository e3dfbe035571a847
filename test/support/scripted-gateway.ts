import { newSession } from '#test/agent-turn.ts';
import type { GatewayClients } from '#test/gateway-clients.ts';
import type { GatewayFolderOptions } from '#test/gateway-folder.ts';
import { startTestExecutor, type TestExecutor, type TestExecutorOptions } from '#test/test-executor.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';

/** A gateway with one agent that plays a script, one executor, and a session of the owner. */
export interface ScriptedGateway extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly executor: TestExecutor;
  readonly owner: GatewayClients;
  readonly sessionId: string;
}

/** Starts both; the agent is called "agent" and its script "turn.yaml". */
export async function startScriptedGateway(
  turns: readonly object[],
  options: {
    readonly agent?: object;
    readonly folder?: GatewayFolderOptions;
    readonly executor?: TestExecutorOptions;
  } = {},
): Promise<ScriptedGateway> {
  const executor = await startTestExecutor(options.executor);
  const gateway = await startTestGateway({
    executors: [executor],
    agents: { agent: { model: 'script:turn.yaml', ...options.agent } },
    ...options.folder,
    scripts: { 'turn.yaml': { turns }, ...options.folder?.scripts },
  });
  return {
    gateway,
    executor,
    owner: gateway.owner,
    sessionId: await newSession(gateway.owner, 'agent'),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await executor[Symbol.asyncDispose]();
    },
  };
}
