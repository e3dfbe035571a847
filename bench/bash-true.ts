import { join } from 'node:path';
import type { SetUp } from '../cli/setup/set-up.ts';
import { startBenchGateway } from './support/bench-gateway.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { measureInTurns } from './support/measure.ts';
import { startNodeProgram } from './support/node-program.ts';
import { startPlainContainer } from './support/plain-container.ts';
import type { Comparison } from './support/result-table.ts';
import { createTokenFile } from './support/token-file.ts';
import { createToolCaller } from './support/tool-caller.ts';

/**
 * Bash `true` by CallTool through gateway, sandbox executor and a hardened container, against `docker exec` of `true`
 * in a plain container of the same image. The first call, which makes the sandbox, belongs to the warm-up.
 */
export async function benchBashTrue(options: BenchOptions & { readonly setUp: SetUp }): Promise<Comparison> {
  const { setUp, nodeOptions } = options;
  await using container = await startPlainContainer(setUp.sandboxImage, setUp.dockerSocket);
  await using token = await createTokenFile();
  await using executor = await startNodeProgram({
    mainFile: 'services/sandbox/main.ts',
    env: {
      TOOLGATE_SANDBOX_TOKEN_FILE: token.path,
      TOOLGATE_SANDBOX_DATA_DIR: token.folder,
      TOOLGATE_SANDBOX_SOCKET_DIR: join(token.folder, 's'),
      TOOLGATE_SANDBOX_IMAGE: setUp.sandboxImage,
      TOOLGATE_SANDBOX_TOOLBOX: setUp.toolboxBundle,
      TOOLGATE_SANDBOX_DOCKER_SOCKET: setUp.dockerSocket,
    },
    nodeOptions,
  });
  await using gateway = await startBenchGateway({
    executor: { name: 'sandbox', address: executor.address, tokenFile: token.path },
    rules: [{ tool: 'Bash', content: 'true', behavior: 'allow' }],
    nodeOptions,
  });
  await using tools = await createToolCaller(gateway);
  const samples = await measureInTurns({
    ...options,
    warmUpCalls: Math.max(1, options.warmUpCalls),
    // Docker goes on working for a while after `docker exec` has ended; in blocks that meets few of the calls.
    blockCalls: 10,
    subjects: [
      { name: 'docker exec', run: () => container.exec('true') },
      { name: 'Bash through the gateway', run: () => tools.call('Bash', { command: 'true' }) },
    ],
  });
  return { title: 'true', samples };
}
