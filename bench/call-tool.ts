import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { startBenchGateway } from './support/bench-gateway.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { GrpcJsCaller } from './support/grpc-js-caller.ts';
import { measureInTurns } from './support/measure.ts';
import { startNodeProgram } from './support/node-program.ts';
import type { Comparison } from './support/result-table.ts';
import { createTokenFile } from './support/token-file.ts';
import { createToolCaller } from './support/tool-caller.ts';

/**
 * CallTool of a tool that does nothing, in an executor of its own process, through a gateway that keeps its log in a
 * file, against a raw unary call between two processes. All clients are @grpc/grpc-js.
 */
export async function benchCallTool(options: BenchOptions): Promise<Comparison> {
  const { nodeOptions } = options;
  await using raw = await startNodeProgram({ mainFile: 'bench/raw-grpc-server.ts' });
  await using token = await createTokenFile();
  await using executor = await startNodeProgram({
    mainFile: 'examples/executors/noop/main.ts',
    args: ['--port', '0', '--token-file', token.path],
    nodeOptions,
  });
  await using gateway = await startBenchGateway({
    executor: { name: 'noop', address: executor.address, tokenFile: token.path },
    nodeOptions,
  });
  using rawCaller = new GrpcJsCaller(raw.address);
  await using tools = await createToolCaller(gateway);
  const samples = await measureInTurns({
    ...options,
    blockCalls: 50,
    subjects: [
      { name: 'raw grpc-js unary call', run: () => rawCaller.unary(Health.method.check, {}) },
      { name: 'CallTool noop through the gateway', run: () => tools.call('noop', {}) },
    ],
  });
  return { title: 'no-op', samples };
}
