import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';

/** Health of one process: serving until it is told to drain. */
export interface HealthState {
  /** Tells watchers that requests are refused from now on. */
  setDraining(): void;
  /** Adds grpc.health.v1 to a router. */
  routes(router: ConnectRouter): void;
}

/** Health of a server with these services (full names); "" stands for the server as a whole. */
export function createHealth(serviceNames: readonly string[]): HealthState {
  const known = new Set(['', Health.typeName, ...serviceNames]);
  const draining = new AbortController();
  const status = (): Status => (draining.signal.aborted ? Status.NOT_SERVING : Status.SERVING);
  return {
    setDraining: () => draining.abort(),
    routes: router => {
      router.service(Health, {
        check: request => {
          if (!known.has(request.service)) {
            throw new ConnectError(`no service "${request.service}" here`, Code.NotFound);
          }
          return { status: status() };
        },
        async *watch(request, context) {
          if (!known.has(request.service)) {
            yield { status: Status.SERVICE_UNKNOWN };
            await aborted([context.signal]);
            return;
          }
          yield { status: status() };
          if (!draining.signal.aborted) {
            await aborted([draining.signal, context.signal]);
            if (draining.signal.aborted && !context.signal.aborted) yield { status: status() };
          }
        },
      });
    },
  };
}

function aborted(signals: AbortSignal[]): Promise<void> {
  const any = AbortSignal.any(signals);
  return new Promise(resolve => {
    if (any.aborted) resolve();
    else any.addEventListener('abort', () => resolve(), { once: true });
  });
}
