import { once } from 'node:events';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { ExecutorService, Isolation } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { CallTable, RunCall } from '#kit/call-table.ts';
import { durationFromMs } from '#kit/durations.ts';
import { manifestOf } from '#kit/manifest.ts';
import { textResult } from '#kit/text-result.ts';
import { echo, noop } from './tools.ts';

/** What the executor calls itself; the gateway's configuration may give it another name. */
export const EXECUTOR_NAME = 'noop';

const TOOLS = new Map([noop, echo].map(tool => [tool.spec.name, tool]));
const MANIFEST = manifestOf([...TOOLS.values()].map(tool => tool.spec));

/** Adds ExecutorService to a router; the call table does what all executors must: start once, attach, cancel. */
export function noopRoutes(options: {
  readonly router: ConnectRouter;
  readonly calls: CallTable;
  /** Aborted when the process ends, so that watchers leave. */
  readonly shutdown: AbortSignal;
}): void {
  const { router, calls, shutdown } = options;
  router.service(ExecutorService, {
    describe: () => ({
      name: EXECUTOR_NAME,
      version: '1.0.0',
      manifest: MANIFEST,
      isolation: Isolation.SERVICE,
      lease: durationFromMs(calls.leaseMs),
    }),
    async *watchTools(request, context) {
      if (request.knownHash !== MANIFEST.hash) yield { manifest: MANIFEST };
      const signal = AbortSignal.any([context.signal, shutdown]);
      if (!signal.aborted) await once(signal, 'abort');
    },
    execute: (request, context) => {
      const name = request.call?.toolName ?? '';
      if (!TOOLS.has(name)) throw new ConnectError(`there is no tool "${name}" here`, Code.NotFound);
      return calls.execute(request, runTool, context.signal);
    },
    answer: ({ callId }) => {
      throw new ConnectError(`call ${callId} waits for no answer`, Code.NotFound);
    },
    cancel: ({ callId, attempt, reason }) => ({ wasRunning: calls.cancel(callId, attempt, reason) }),
    closeSession: async ({ sessionId }) => {
      await calls.closeSession(sessionId);
      return {};
    },
    // No tool here names a path, so there are no facts for a permission to rest on.
    inspect: () => ({}),
  });
}

const runTool: RunCall = async ({ call }) => {
  const text = TOOLS.get(call.toolName)?.run(call.argumentsJson);
  return textResult(Outcome.SUCCESS, text ?? '');
};
