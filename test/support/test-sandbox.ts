import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duration } from '@bufbuild/protobuf/wkt';
import { rgPath } from '@vscode/ripgrep';
import type { BoundPath } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import type { OutputChunk, ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { connectExecutor, type ExecutorLink } from '#kit/executor-client.ts';
import { createLogger } from '#kit/logger.ts';
import type { SandboxExecutorConfig } from '#sandbox/config.ts';
import { startSandboxExecutor } from '#sandbox/sandbox-executor.ts';
import { sessionName } from '#sandbox/session-name.ts';
import { testSandboxImage } from '#test/test-sandbox-image.ts';
import { buildToolbox } from '#toolbox/build.ts';

/** What a call did. */
export interface CallOutcome {
  readonly result: ToolResult;
  /** All text the model reads. */
  readonly text: string;
  readonly output: readonly OutputChunk[];
  /** Raw bytes of both streams, in the order they came. */
  readonly raw: Buffer;
}

/** How a call is made; everything may be left out. */
export interface CallOptions {
  readonly sessionId?: string;
  readonly callId?: string;
  readonly boundPaths?: readonly Pick<BoundPath, 'path' | 'realPath'>[];
  readonly timeout?: Pick<Duration, 'seconds' | 'nanos'>;
  readonly signal?: AbortSignal;
}

/** A sandbox executor of its own owner, in its own folder, on a free port; disposing removes all of it. */
export interface TestSandbox extends AsyncDisposable {
  readonly config: SandboxExecutorConfig;
  readonly address: string;
  readonly client: ExecutorLink['client'];
  call(toolName: string, input: unknown, options?: CallOptions): Promise<CallOutcome>;
  /** Folder of a session's workspace; only for type LOCAL. */
  workspace(sessionId?: string): string;
}

const DEFAULT_SESSION = 'session one';

/** Starts a sandbox executor for one test file. */
export async function startTestSandbox(settings: Partial<SandboxExecutorConfig> = {}): Promise<TestSandbox> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tg-')));
  const { bundlePath } = await buildToolbox({ outDir: join(folder, 'toolbox') });
  const config: SandboxExecutorConfig = {
    listen: { host: '127.0.0.1', port: 0 },
    token: randomBytes(16).toString('hex'),
    type: 'LOCAL',
    image: testSandboxImage(),
    dataDir: join(folder, 'data'),
    socketDir: join(folder, 's'),
    bundlePath,
    nodePath: process.execPath,
    ripgrepPath: rgPath,
    owner: `test-${randomBytes(6).toString('hex')}`,
    limits: { memoryBytes: 256 * 1024 * 1024, cpuMillis: 1000, maxProcesses: 128 },
    bounds: {
      images: [],
      max: { memoryBytes: 256 * 1024 * 1024, cpuMillis: 1000, maxProcesses: 128 },
      environmentNames: [],
    },
    maxSandboxes: 20,
    dockerSocket: '/var/run/docker.sock',
    logLevel: 'silent',
    ...settings,
  };
  const executor = await startSandboxExecutor(
    config,
    createLogger({ name: 'sandbox', level: config.logLevel }),
  );
  const link = connectExecutor({ address: executor.address, token: () => config.token });
  const workspace = (sessionId = DEFAULT_SESSION): string => {
    const path = join(config.dataDir, 'sessions', sessionName(sessionId), 'workspace');
    mkdirSync(path, { recursive: true });
    return path;
  };
  return {
    config,
    address: executor.address,
    client: link.client,
    call: (toolName, input, options) => call(link, toolName, input, options),
    workspace,
    [Symbol.asyncDispose]: async () => {
      link.close();
      await executor.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function call(
  link: ExecutorLink,
  toolName: string,
  input: unknown,
  options: CallOptions = {},
): Promise<CallOutcome> {
  const output: OutputChunk[] = [];
  const request = {
    call: {
      callId: options.callId ?? randomUUID(),
      attempt: 1,
      toolName,
      argumentsJson: JSON.stringify(input),
      context: { sessionId: options.sessionId ?? DEFAULT_SESSION },
      boundPaths: [...(options.boundPaths ?? [])],
      ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    },
  };
  const stream = link.client.execute(request, options.signal === undefined ? {} : { signal: options.signal });
  for await (const { message } of stream) {
    if (message.case === 'output') output.push(message.value);
    if (message.case !== 'result') continue;
    const texts = message.value.content.map(({ block }) => (block.case === 'text' ? block.value.text : ''));
    const raw = Buffer.concat(output.map(chunk => chunk.data));
    return { result: message.value, text: texts.join(''), output, raw };
  }
  throw new Error('the stream ended without a result');
}
