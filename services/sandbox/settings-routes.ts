import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import {
  NetworkMode,
  SandboxService,
  SandboxSettingsSchema,
  SandboxType,
} from '#gen/toolgate/sandbox/v1/sandbox_service_pb.ts';
import type { SandboxExecutorConfig } from '#sandbox/config.ts';
import type { EffectiveSettings } from '#sandbox/sandbox-bounds.ts';
import type { SessionSandboxes } from '#sandbox/session-sandboxes.ts';

/** SandboxService of the sandbox executor. */
export function settingsRoutes(
  sandboxes: SessionSandboxes,
  type: SandboxExecutorConfig['type'],
): (router: ConnectRouter) => void {
  return router => {
    router.service(SandboxService, {
      configure: async ({ sessionId, settings }) => {
        if (sessionId === '') throw new ConnectError('session_id is missing', Code.InvalidArgument);
        const chosen = settings ?? create(SandboxSettingsSchema);
        return { effective: settingsMessage(type, await sandboxes.configure(sessionId, chosen)) };
      },
      listSandboxes: () => ({
        sandboxes: sandboxes.list().map(({ sessionId, settings }) => ({
          sessionId,
          settings: settingsMessage(type, settings),
        })),
      }),
    });
  };
}

/** The settings as a message; limits that type LOCAL does not hold to are left unset. */
function settingsMessage(type: SandboxExecutorConfig['type'], settings: EffectiveSettings) {
  const { image, limits, environment } = settings;
  if (type === 'LOCAL') return create(SandboxSettingsSchema, { type: SandboxType.LOCAL, environment });
  return create(SandboxSettingsSchema, {
    type: SandboxType.DOCKER,
    image,
    memoryBytes: BigInt(limits.memoryBytes),
    cpuMillis: limits.cpuMillis,
    maxProcesses: limits.maxProcesses,
    network: { mode: NetworkMode.NONE },
    environment,
  });
}
