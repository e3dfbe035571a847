import { type Client, credentials, type Metadata, makeGenericClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** Calls one unary method through @grpc/grpc-js, which shares no code with connect-es. */
export async function callWithGrpcJs(options: {
  readonly address: string;
  readonly protoFile: string;
  readonly service: string;
  readonly method: string;
  readonly request: object;
  readonly metadata?: Metadata;
}): Promise<unknown> {
  const definition = loadSync(options.protoFile, { includeDirs: ['proto'], enums: String, longs: String });
  const service = definition[options.service];
  if (service === undefined || 'format' in service) throw new Error(`no service ${options.service}`);
  const method = service[options.method];
  if (method === undefined) throw new Error(`no method ${options.method}`);
  const ServiceClient = makeGenericClientConstructor(service, options.service);
  const client: Client = new ServiceClient(
    options.address.slice('http://'.length),
    credentials.createInsecure(),
  );
  try {
    return await new Promise((resolve, reject) => {
      const done = (error: Error | null, answer?: unknown): void =>
        error === null ? resolve(answer) : reject(error);
      const send = method.requestSerialize;
      const receive = method.responseDeserialize;
      if (options.metadata === undefined)
        client.makeUnaryRequest(method.path, send, receive, options.request, done);
      else client.makeUnaryRequest(method.path, send, receive, options.request, options.metadata, done);
    });
  } finally {
    client.close();
  }
}
