import { newSession } from '#test/agent-turn.ts';
import type { ProviderFixture } from '#test/providers/provider-fixture.ts';
import type { ScriptedGateway } from '#test/scripted-gateway.ts';
import { startTestExecutor } from '#test/test-executor.ts';
import { startTestGateway } from '#test/test-gateway.ts';
import { startWireServer, type WireReply, type WireServer } from '#test/wire-server.ts';

/** A gateway whose agent asks a server of one format, one executor, and a session of the owner. */
export interface ProviderGateway extends ScriptedGateway {
  readonly model: WireServer;
}

/** Starts all of it; the model is "there:tiny", and `modelName` may say more. */
export async function startProviderGateway(
  fixture: ProviderFixture,
  replies: readonly WireReply[],
  modelName = 'there:tiny',
): Promise<ProviderGateway> {
  const model = await startWireServer(replies, fixture.encoding);
  const executor = await startTestExecutor();
  const providers = {
    there: { type: fixture.type, baseUrl: model.baseUrl },
    nowhere: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' },
  };
  const gateway = await startTestGateway({
    executors: [executor],
    agents: { agent: { model: modelName } },
    settings: { models: { attempts: 1, providers } },
  });
  return {
    model,
    executor,
    gateway,
    owner: gateway.owner,
    sessionId: await newSession(gateway.owner, 'agent'),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await executor[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
