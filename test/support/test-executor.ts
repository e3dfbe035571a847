import { randomUUID } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { ExecutorService } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { requireBearer } from '#kit/bearer-auth.ts';
import { CallTable } from '#kit/call-table.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { durationFromMs } from '#kit/durations.ts';
import { createLogger } from '#kit/logger.ts';
import { manifestOf } from '#kit/manifest.ts';
import { startServer } from '#kit/one-port-server.ts';
import type { RunEntry } from '#test/run-log.ts';
import { RunLog } from '#test/run-log.ts';
import { type TestTool, testTools } from '#test/test-tools.ts';

/** How a test executor is started. */
export interface TestExecutorOptions {
  /** 0 takes a free port. */
  readonly port?: number;
  readonly token?: string;
  readonly leaseMs?: number;
  readonly tools?: readonly TestTool[];
  /** Told of each thing that happens to a call. */
  readonly onEntry?: (entry: RunEntry) => void;
  /** Holds every Inspect back while it is pending. */
  readonly beforeInspect?: () => Promise<void>;
}

/** A real executor on its own port. */
export interface TestExecutor extends AsyncDisposable {
  readonly address: string;
  readonly token: string;
  readonly log: RunLog;
  /** Sessions that were closed. */
  readonly closedSessions: string[];
}

/** Root of every path that Inspect names. */
const TEST_WORKSPACE = '/workspace';

/** Serves the test tools by ExecutorService, behind a bearer token. */
export async function startTestExecutor(options: TestExecutorOptions = {}): Promise<TestExecutor> {
  const token = options.token ?? randomUUID();
  const log = new RunLog();
  const closedSessions: string[] = [];
  const leaving = new AbortController();
  const table = new CallTable({
    logger: createLogger({ name: 'test-executor', level: 'silent' }),
    leaseMs: options.leaseMs ?? 5_000,
  });
  const record = (entry: RunEntry): void => {
    log.add(entry);
    options.onEntry?.(entry);
  };
  const service = executorService(options, { table, record, closedSessions, leaving: leaving.signal });
  const server = await startServer({
    routes: router => router.service(ExecutorService, service),
    listen: { host: '127.0.0.1', port: options.port ?? 0 },
    interceptors: [requireBearer(token)],
    readMaxBytes: 16 * 1024 * 1024,
  });
  return {
    address: server.address,
    token,
    log,
    closedSessions,
    [Symbol.asyncDispose]: async () => {
      leaving.abort();
      await table[Symbol.asyncDispose]();
      await server.close(0);
    },
  };
}

function executorService(
  options: TestExecutorOptions,
  parts: {
    readonly table: CallTable;
    readonly record: (entry: RunEntry) => void;
    readonly closedSessions: string[];
    readonly leaving: AbortSignal;
  },
): ServiceImpl<typeof ExecutorService> {
  const { table, record, closedSessions, leaving } = parts;
  const tools = options.tools ?? testTools;
  const manifest = manifestOf(tools.map(tool => tool.spec));
  return {
    describe: () => ({ name: 'test', version: '1', manifest, lease: durationFromMs(table.leaseMs) }),
    async *watchTools(request, context) {
      if (request.knownHash !== manifest.hash) yield { manifest };
      const signal = AbortSignal.any([context.signal, leaving]);
      await new Promise<void>(resolve => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    },
    execute: (request, context) => {
      const tool = tools.find(candidate => candidate.spec.name === request.call?.toolName);
      if (tool === undefined) throw new ConnectError('no such tool', Code.NotFound);
      return table.execute(request, run => recordedRun(tool, run, record), context.signal);
    },
    answer: () => {
      throw new ConnectError('no call asks anything here', Code.NotFound);
    },
    cancel: request => ({ wasRunning: table.cancel(request.callId, request.attempt, request.reason) }),
    closeSession: async request => {
      closedSessions.push(request.sessionId);
      await table.closeSession(request.sessionId);
      return {};
    },
    inspect: async request => {
      await options.beforeInspect?.();
      return {
        workingDirectory: TEST_WORKSPACE,
        workspaceRoot: TEST_WORKSPACE,
        homeDirectory: '/home/test',
        paths: request.paths.map(path => ({
          path,
          realPath: isAbsolute(path) ? path : join(TEST_WORKSPACE, path),
          exists: false,
        })),
      };
    },
  };
}

async function recordedRun(tool: TestTool, run: CallRun, record: (entry: RunEntry) => void) {
  const { call } = run;
  const entry = (what: RunEntry['what']): RunEntry => ({
    what,
    tool: tool.spec.name,
    callId: call.callId,
    sessionId: call.context?.sessionId ?? '',
    argumentsJson: call.argumentsJson,
    atMs: performance.now(),
  });
  record(entry('started'));
  run.signal.addEventListener('abort', () => record(entry('cancelled')), { once: true });
  const result = await tool.run(run, JSON.parse(call.argumentsJson));
  record(entry('ended'));
  return result;
}
