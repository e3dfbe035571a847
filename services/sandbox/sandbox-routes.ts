import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import {
  ExecutorService,
  type Isolation,
  type Manifest,
} from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { CallTable } from '#kit/call-table.ts';
import { durationFromMs } from '#kit/durations.ts';
import { runInSandbox } from '#sandbox/run-in-sandbox.ts';
import type { SessionSandboxes } from '#sandbox/session-sandboxes.ts';

/** What the service is made of. */
export interface SandboxRoutesOptions {
  readonly sandboxes: SessionSandboxes;
  readonly calls: CallTable;
  readonly manifest: Manifest;
  readonly isolation: Isolation;
  readonly version: string;
  /** Aborted when the executor shuts down. */
  readonly shutdown: AbortSignal;
}

/** ExecutorService of the sandbox executor: each call goes to the toolbox of its session's sandbox. */
export function sandboxRoutes(options: SandboxRoutesOptions): (router: ConnectRouter) => void {
  return router => {
    router.service(ExecutorService, sandboxService(options));
  };
}

function sandboxService(options: SandboxRoutesOptions): ServiceImpl<typeof ExecutorService> {
  const { sandboxes, calls, manifest } = options;
  const toolNames = new Set(manifest.tools.map(tool => tool.name));
  return {
    describe: () => ({
      name: 'sandbox',
      version: options.version,
      manifest,
      isolation: options.isolation,
      lease: durationFromMs(calls.leaseMs),
    }),
    async *watchTools(request, context) {
      if (request.knownHash !== manifest.hash) yield { manifest };
      await aborted(AbortSignal.any([context.signal, options.shutdown]));
    },
    async *execute(request, context) {
      const { call } = request;
      if (call === undefined || call.callId === '') {
        throw new ConnectError('Execute needs a call with a call_id', Code.InvalidArgument);
      }
      if (request.attach !== undefined || calls.has(call)) {
        yield* calls.execute(request, notStarted, context.signal);
        return;
      }
      if (!toolNames.has(call.toolName)) {
        throw new ConnectError(`this executor has no tool "${call.toolName}"`, Code.NotFound);
      }
      const sandbox = await sandboxes.acquire(requireSession(call.context?.sessionId));
      yield* calls.execute(request, run => runInSandbox(sandbox, run), context.signal);
    },
    answer: request => {
      throw new ConnectError(`call ${request.callId} waits for no answer`, Code.NotFound);
    },
    cancel: request => ({ wasRunning: calls.cancel(request.callId, request.attempt, request.reason) }),
    closeSession: async request => {
      const sessionId = requireSession(request.sessionId);
      const closed = calls.closeSession(sessionId);
      await sandboxes.close(sessionId);
      await closed;
      return {};
    },
    inspect: async (request, context) => {
      const sandbox = await sandboxes.acquire(requireSession(request.sessionId));
      return sandbox.toolbox.inspect(request, { signal: context.signal });
    },
  };
}

function requireSession(sessionId: string | undefined): string {
  if (sessionId === undefined || sessionId === '') {
    throw new ConnectError('a session id is missing; each session has its own sandbox', Code.InvalidArgument);
  }
  return sessionId;
}

function notStarted(): never {
  throw new Error('a call that is only attached to was started');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
