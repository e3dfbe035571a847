import type { ConnectRouter } from '@connectrpc/connect';
import { AuditService } from '#gen/toolgate/gateway/v1/audit_service_pb.ts';
import { ExecutorAdminService } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { PermissionService } from '#gen/toolgate/gateway/v1/permission_service_pb.ts';
import { SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { ToolService } from '#gen/toolgate/gateway/v1/tool_service_pb.ts';
import { WorkspaceService } from '#gen/toolgate/gateway/v1/workspace_service_pb.ts';
import { WorkerService } from '#gen/toolgate/worker/v1/worker_service_pb.ts';
import type { ApiContext } from './api-context.ts';
import { executorAdminService } from './executor-admin-service.ts';
import { permissionService } from './permission-service.ts';
import { replyMethods } from './reply-methods.ts';
import { sessionMethods } from './session-methods.ts';
import { toolService } from './tool-service.ts';

/** Services of the gateway's port. Those without an implementation answer Unimplemented to every call. */
export const SERVICES = [
  SessionService,
  ToolService,
  PermissionService,
  ExecutorAdminService,
  WorkspaceService,
  AuditService,
  WorkerService,
] as const;

/** Adds every service to a router. */
export function addRoutes(router: ConnectRouter, api: ApiContext): void {
  router.service(SessionService, { ...sessionMethods(api), ...replyMethods(api) });
  router.service(ToolService, toolService(api));
  router.service(PermissionService, permissionService(api));
  router.service(ExecutorAdminService, executorAdminService(api));
  for (const unfinished of [WorkspaceService, AuditService, WorkerService]) router.service(unfinished, {});
}
