import { create } from '@bufbuild/protobuf';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { textResult } from '#kit/text-result.ts';
import { openAIEncoding } from '#test/openai-wire-server.ts';
import { anthropicFixture } from '#test/providers/anthropic-fixture.ts';
import { startTestExecutor, type TestExecutor } from '#test/test-executor.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import { startWireServer, type WireServer } from '#test/wire-server.ts';
import type { CasePlace } from './case-place.ts';
import type { CaseLoop } from './tool-case.ts';
import { wireReplies } from './wire-replies.ts';

const SANDBOX_TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep'];

/** A gateway with a sandbox, the tools of a case and its scripted model. */
export interface CaseStack extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly model: WireServer;
  readonly place: CasePlace;
}

/** Starts all of it. Tools that need approval ask in mode DEFAULT; without any the mode is BYPASS. */
export async function startCaseStack(
  loop: CaseLoop,
  gated: readonly string[],
  place: CasePlace,
): Promise<CaseStack> {
  const encoding = loop.provider === 'openai' ? openAIEncoding : anthropicFixture.encoding;
  const model = await startWireServer(wireReplies(loop.replies), encoding);
  const executor = await startCaseTools(loop);
  const free = [...SANDBOX_TOOLS, ...loop.tools.map(tool => tool.name)].filter(name => !gated.includes(name));
  const rules = gated.length === 0 ? [] : free.map(tool => ({ tool, behavior: 'allow' }));
  const provider = {
    type: loop.provider === 'openai' ? 'openai-compatible' : 'anthropic',
    baseUrl: model.baseUrl,
    settings: loop.stream === undefined ? {} : { stream: loop.stream },
  };
  const gateway = await startTestGateway({
    executors: [
      { name: 'sandbox', address: place.sandbox.address, token: place.sandbox.config.token },
      { name: 'case', ...executor },
    ],
    agents: {
      agent: {
        model: `${loop.provider}:m`,
        permissions: { mode: gated.length === 0 ? 'BYPASS' : 'DEFAULT', rules },
      },
    },
    settings: { models: { providers: { [loop.provider]: provider } } },
  });
  return {
    gateway,
    model,
    place,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await executor[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

function startCaseTools(loop: CaseLoop): Promise<TestExecutor> {
  const tools = loop.tools.map(({ name, description, parameters, returns }) => ({
    spec: create(ToolSpecSchema, { name, description, inputSchemaJson: JSON.stringify(parameters) }),
    run: async () =>
      textResult(Outcome.SUCCESS, typeof returns === 'string' ? returns : JSON.stringify(returns ?? '')),
  }));
  return startTestExecutor({ tools });
}
