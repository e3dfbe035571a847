import { type DescFile, type DescService, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import {
  ServerReflection as ReflectionV1,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from '#gen/grpc/reflection/v1/reflection_pb.ts';
import { ServerReflection as ReflectionV1Alpha } from '#gen/grpc/reflection/v1alpha/reflection_pb.ts';

type Response = MessageInitShape<typeof ServerReflectionResponseSchema>;
type Answer = NonNullable<Response['messageResponse']>;

/** Services that tell the schema; callers need no token for them, since the schema is public. */
export const REFLECTION_SERVICES: readonly string[] = [ReflectionV1.typeName, ReflectionV1Alpha.typeName];

/**
 * Adds gRPC server reflection for these services, in the version that is current and the one that older tools ask for;
 * the two differ in nothing but their name.
 */
export function reflectionRoutes(services: readonly DescService[]): (router: ConnectRouter) => void {
  const schema = indexSchema(services);
  return router => {
    for (const service of [ReflectionV1, ReflectionV1Alpha]) {
      router.service(service, {
        async *serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>) {
          for await (const request of requests) {
            yield {
              validHost: request.host,
              originalRequest: request,
              messageResponse: answer(schema, request),
            };
          }
        },
      });
    }
  };
}

interface Schema {
  readonly serviceNames: readonly string[];
  readonly files: ReadonlyMap<string, DescFile>;
  /** The file that declares a symbol. */
  readonly symbols: ReadonlyMap<string, DescFile>;
}

function indexSchema(services: readonly DescService[]): Schema {
  const files = new Map<string, DescFile>();
  const symbols = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(nameOf(file))) return;
    files.set(nameOf(file), file);
    for (const name of symbolsOf(file)) symbols.set(name, file);
    for (const dependency of file.dependencies) add(dependency);
  };
  for (const service of services) add(service.file);
  return { serviceNames: services.map(service => service.typeName), files, symbols };
}

function nameOf(file: DescFile): string {
  return file.proto.name;
}

function symbolsOf(file: DescFile): string[] {
  const messages = file.messages.flatMap(function names(message): string[] {
    return [message.typeName, ...message.nestedMessages.flatMap(names)];
  });
  const methods = file.services.flatMap(service => [
    service.typeName,
    ...service.methods.map(method => `${service.typeName}.${method.name}`),
  ]);
  return [...messages, ...methods, ...file.enums.map(type => type.typeName)];
}

function answer(schema: Schema, { messageRequest: question }: ServerReflectionRequest): Answer {
  switch (question.case) {
    case 'listServices': {
      const service = schema.serviceNames.map(name => ({ name }));
      return { case: 'listServicesResponse', value: { service } };
    }
    case 'fileByFilename':
      return filesAnswer(schema.files.get(question.value), question.value);
    case 'fileContainingSymbol':
      return filesAnswer(schema.symbols.get(question.value), question.value);
    case 'allExtensionNumbersOfType':
      return { case: 'allExtensionNumbersResponse', value: { baseTypeName: question.value } };
    default:
      return refusal(Code.NotFound, 'this schema has no extensions');
  }
}

function filesAnswer(file: DescFile | undefined, asked: string): Answer {
  if (file === undefined) return refusal(Code.NotFound, `"${asked}" is not in the schema of this server`);
  const fileDescriptorProto = withImports(file).map(({ proto }) =>
    toBinary(FileDescriptorProtoSchema, proto),
  );
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

function withImports(file: DescFile): DescFile[] {
  const found = new Map<string, DescFile>();
  const visit = (next: DescFile): void => {
    if (found.has(nameOf(next))) return;
    found.set(nameOf(next), next);
    for (const dependency of next.dependencies) visit(dependency);
  };
  visit(file);
  return [...found.values()];
}

function refusal(errorCode: Code, errorMessage: string): Answer {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}
