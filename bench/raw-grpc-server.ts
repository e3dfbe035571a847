import { Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import { grpcJsMethod } from './support/grpc-js-method.ts';

/** The other side of the raw call: one unary method, served by @grpc/grpc-js and nothing else. */
const service: ServiceDefinition = { check: grpcJsMethod(Health.method.check) };
const server = new Server();
server.addService(service, {
  check: (_call: unknown, answer: (error: null, response: object) => void) =>
    answer(null, { $typeName: 'grpc.health.v1.HealthCheckResponse', status: Status.SERVING }),
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', address: `http://127.0.0.1:${port}` })}\n`);
});
process.once('SIGTERM', () => server.forceShutdown());
