import type { ServiceImpl } from '@connectrpc/connect';
import {
  type ExecutorAdminService,
  ExecutorState,
} from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { durationFromMs } from '#kit/durations.ts';
import type { ApiContext } from './api-context.ts';
import { requireScope } from './caller.ts';

/** The executors, as `toolgate.gateway.v1.ExecutorAdminService` describes them; only listing is there yet. */
export function executorAdminService(api: ApiContext): Partial<ServiceImpl<typeof ExecutorAdminService>> {
  return {
    listExecutors: (_request, context) => {
      requireScope(context, 'executor');
      const executors = api.services.executors.statuses().map(status => {
        const { description } = status;
        return {
          name: status.name,
          address: status.address,
          state: status.ready ? ExecutorState.READY : ExecutorState.UNREACHABLE,
          message: status.problem,
          since: durationFromMs(status.sinceMs),
          tools: (description?.manifest?.tools ?? []).map(tool => tool.name),
          ...(description === undefined
            ? {}
            : { isolation: description.isolation, version: description.version }),
        };
      });
      return { executors };
    },
  };
}
