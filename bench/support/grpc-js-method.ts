import { type DescMethod, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { MethodDefinition } from '@grpc/grpc-js';

/** A method of the contract in the form that @grpc/grpc-js takes, for clients and servers. */
export function grpcJsMethod<Method extends DescMethod>(
  method: Method,
): MethodDefinition<MessageShape<Method['input']>, MessageShape<Method['output']>> {
  const { input, output } = method;
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: method.methodKind === 'server_streaming',
    requestSerialize: request => Buffer.from(toBinary(input, request)),
    requestDeserialize: bytes => fromBinary(input, bytes) as MessageShape<Method['input']>,
    responseSerialize: response => Buffer.from(toBinary(output, response)),
    responseDeserialize: bytes => fromBinary(output, bytes) as MessageShape<Method['output']>,
  };
}
