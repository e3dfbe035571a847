import { type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { ExecutorAdminService } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { PermissionService } from '#gen/toolgate/gateway/v1/permission_service_pb.ts';
import { SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { ToolService } from '#gen/toolgate/gateway/v1/tool_service_pb.ts';

/** The services of one gateway, over one connection that opens with the first request and again after a loss. */
export interface GatewayClient {
  readonly address: string;
  readonly sessions: Client<typeof SessionService>;
  readonly tools: Client<typeof ToolService>;
  readonly permissions: Client<typeof PermissionService>;
  readonly executors: Client<typeof ExecutorAdminService>;
  readonly health: Client<typeof Health>;
  [Symbol.dispose](): void;
}

/** How often a silent connection is checked; a gateway that vanished without a word is noticed after two of them. */
const PING_INTERVAL_MS = 10_000;

/** A client of the gateway at `http://host:port` or `https://host:port`. Whoever makes it disposes it. */
export function createGatewayClient(options: {
  readonly address: string;
  readonly token?: string;
}): GatewayClient {
  const sessionManager = new Http2SessionManager(options.address, { pingIntervalMs: PING_INTERVAL_MS });
  const transport = createConnectTransport({
    baseUrl: options.address,
    httpVersion: '2',
    sessionManager,
    interceptors: options.token === undefined ? [] : [withBearer(options.token)],
  });
  return {
    address: options.address,
    sessions: createClient(SessionService, transport),
    tools: createClient(ToolService, transport),
    permissions: createClient(PermissionService, transport),
    executors: createClient(ExecutorAdminService, transport),
    health: createClient(Health, transport),
    [Symbol.dispose]: () => sessionManager.abort(),
  };
}

function withBearer(token: string): Interceptor {
  return next => request => {
    request.header.set('authorization', `Bearer ${token}`);
    return next(request);
  };
}
