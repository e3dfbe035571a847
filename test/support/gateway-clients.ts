import { type Client, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from '@connectrpc/connect-node';
import { ExecutorAdminService } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { PermissionService } from '#gen/toolgate/gateway/v1/permission_service_pb.ts';
import { SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { ToolService } from '#gen/toolgate/gateway/v1/tool_service_pb.ts';

/** How to speak to a gateway. */
export type Protocol = 'grpc' | 'connect' | 'grpc-web';

/** Clients of one caller. */
export interface GatewayClients extends Disposable {
  readonly token: string;
  readonly sessions: Client<typeof SessionService>;
  readonly tools: Client<typeof ToolService>;
  readonly permissions: Client<typeof PermissionService>;
  readonly executors: Client<typeof ExecutorAdminService>;
  /** Cuts the connection, as a client does that loses its network. */
  disconnect(): void;
}

/** Clients that send this token; gRPC over one HTTP/2 connection unless told otherwise. */
export function gatewayClients(address: string, token: string, protocol: Protocol = 'grpc'): GatewayClients {
  const withToken: Interceptor = next => request => {
    request.header.set('authorization', `Bearer ${token}`);
    return next(request);
  };
  const sessionManager = new Http2SessionManager(address);
  const transport = transportOf(address, protocol, [withToken], sessionManager);
  const disconnect = (): void => sessionManager.abort();
  return {
    token,
    sessions: createClient(SessionService, transport),
    tools: createClient(ToolService, transport),
    permissions: createClient(PermissionService, transport),
    executors: createClient(ExecutorAdminService, transport),
    disconnect,
    [Symbol.dispose]: disconnect,
  };
}

function transportOf(
  baseUrl: string,
  protocol: Protocol,
  interceptors: Interceptor[],
  sessionManager: Http2SessionManager,
): Transport {
  if (protocol === 'grpc') return createGrpcTransport({ baseUrl, interceptors, sessionManager });
  if (protocol === 'connect') return createConnectTransport({ baseUrl, interceptors, httpVersion: '1.1' });
  return createGrpcWebTransport({ baseUrl, interceptors, httpVersion: '1.1' });
}
