import { create, type DescMethod, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { grpcJsMethod } from './grpc-js-method.ts';

type Input<Method extends DescMethod> = MessageShape<Method['input']>;
type Output<Method extends DescMethod> = MessageShape<Method['output']>;
type InputInit<Method extends DescMethod> = MessageInitShape<Method['input']>;

/** A client that shares no code with the server's protocol library. Whoever makes it disposes it. */
export class GrpcJsCaller implements Disposable {
  readonly #client: Client;
  readonly #metadata = new Metadata();

  /** Connects to `http://host:port` with the first request. */
  constructor(address: string, token?: string) {
    this.#client = new Client(address.slice('http://'.length), credentials.createInsecure());
    if (token !== undefined) this.#metadata.set('authorization', `Bearer ${token}`);
  }

  unary<Method extends DescMethod>(method: Method, init: InputInit<Method>): Promise<Output<Method>> {
    const { path, requestSerialize, responseDeserialize } = grpcJsMethod(method);
    const request = create<Method['input']>(method.input, init);
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest<Input<Method>, Output<Method>>(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        this.#metadata,
        (error, answer) => {
          if (error !== null) reject(error);
          else if (answer === undefined) reject(new Error(`${path} answered nothing`));
          else resolve(answer);
        },
      );
    });
  }

  /** Every message of a server stream, once it has ended. */
  async stream<Method extends DescMethod>(
    method: Method,
    init: InputInit<Method>,
  ): Promise<Output<Method>[]> {
    const { path, requestSerialize, responseDeserialize } = grpcJsMethod(method);
    const request = create<Method['input']>(method.input, init);
    const stream = this.#client.makeServerStreamRequest<Input<Method>, Output<Method>>(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      this.#metadata,
    );
    const answers: Output<Method>[] = [];
    for await (const answer of stream) answers.push(answer);
    return answers;
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}
