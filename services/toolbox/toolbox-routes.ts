import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import {
  ExecutorService,
  Isolation,
  type Manifest,
  type PathFactSchema,
} from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import type { CallTable } from '#kit/call-table.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { durationFromMs, msFromDuration } from '#kit/durations.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';
import type { Toolbox } from '#toolbox/toolbox.ts';
import type { Tool } from '#toolbox/tools/tool.ts';
import { withinTime } from '#toolbox/within-time.ts';
import type { Workspace } from '#toolbox/workspace.ts';

/** What the service is made of. */
export interface ToolboxRoutesOptions {
  readonly toolbox: Toolbox;
  readonly manifest: Manifest;
  readonly calls: CallTable;
  readonly version: string;
  /** Aborted when the toolbox shuts down. */
  readonly shutdown: AbortSignal;
}

/** ExecutorService of one sandbox. It serves one session, whichever that is. */
export function toolboxRoutes(options: ToolboxRoutesOptions): (router: ConnectRouter) => void {
  return router => {
    router.service(ExecutorService, toolboxService(options));
  };
}

function toolboxService(options: ToolboxRoutesOptions): ServiceImpl<typeof ExecutorService> {
  const { toolbox, manifest, calls } = options;
  const tools = new Map(toolbox.tools.map(tool => [tool.spec.name, tool]));
  return {
    describe: () => ({
      name: 'toolbox',
      version: options.version,
      manifest,
      isolation: Isolation.NONE,
      lease: durationFromMs(calls.leaseMs),
    }),
    async *watchTools(request, context) {
      if (request.knownHash !== manifest.hash) yield { manifest };
      await aborted(AbortSignal.any([context.signal, options.shutdown]));
    },
    execute: (request, context) => {
      const name = request.call?.toolName ?? '';
      const tool = tools.get(name);
      if (tool === undefined && request.attach === undefined) {
        throw new ConnectError(`this toolbox has no tool "${name}"`, Code.NotFound);
      }
      return calls.execute(request, run => runTool(tool, run), context.signal);
    },
    answer: request => {
      throw new ConnectError(`call ${request.callId} waits for no answer`, Code.NotFound);
    },
    cancel: request => ({ wasRunning: calls.cancel(request.callId, request.attempt, request.reason) }),
    closeSession: async request => {
      await calls.closeSession(request.sessionId);
      return {};
    },
    inspect: request => inspect(toolbox, request.paths),
  };
}

async function runTool(tool: Tool | undefined, run: CallRun) {
  if (tool === undefined) throw new Error(`call ${run.call.callId} was started without a tool`);
  const { timeout } = run.call;
  if (timeout === undefined) return tool.run(run);
  using limited = withinTime(run, msFromDuration(timeout));
  return await tool.run(limited.run);
}

function inspect({ workspace }: Toolbox, paths: readonly string[]) {
  return workspace.user.run(() => ({
    workingDirectory: workspace.workingDirectory,
    workspaceRoot: workspace.root,
    homeDirectory: workspace.home,
    paths: paths.flatMap(path => factOf(workspace, path)),
  }));
}

/** No fact about a path that cannot be resolved: one such path must not keep the others from being decided. */
function factOf(workspace: Workspace, path: string): MessageInitShape<typeof PathFactSchema>[] {
  try {
    return [{ path, ...workspace.resolve(path) }];
  } catch (error) {
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
