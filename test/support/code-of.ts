import { Code, ConnectError } from '@connectrpc/connect';

/** Name of the code that a request fails with, and its message; "OK" when it does not fail. */
export async function codeOf(request: Promise<unknown> | AsyncIterable<unknown>): Promise<string> {
  return (await failureOf(request))[0];
}

/** Message that a request fails with; empty when it does not fail. */
export async function messageOf(request: Promise<unknown> | AsyncIterable<unknown>): Promise<string> {
  return (await failureOf(request))[1];
}

async function failureOf(request: Promise<unknown> | AsyncIterable<unknown>): Promise<[string, string]> {
  try {
    if (request instanceof Promise) await request;
    else for await (const _ of request);
    return ['OK', ''];
  } catch (error) {
    const failure = ConnectError.from(error);
    return [Code[failure.code], failure.rawMessage];
  }
}
