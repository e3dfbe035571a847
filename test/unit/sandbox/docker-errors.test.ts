import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { asConnectError } from '#sandbox/docker-errors.ts';

function classify(error: unknown): readonly [string | undefined, string] {
  const { code, rawMessage } = asConnectError(error, 'making a sandbox', '/run/docker.sock');
  return [Code[code], rawMessage];
}

test.each(['ECONNREFUSED', 'ENOENT', 'EACCES'])('%s means that the daemon cannot be reached', code => {
  const [name, message] = classify(Object.assign(new Error('connect failed'), { code }));
  expect(name).toBe('Unavailable');
  expect(message).toContain(`cannot be reached at /run/docker.sock (${code}); nothing ran`);
});

test('a request that ran out of time says so, also when the reason is only the cause', () => {
  const timeout = new DOMException('too long', 'TimeoutError');
  for (const error of [timeout, new Error('aborted', { cause: timeout })]) {
    expect(classify(error)).toEqual([
      'Unavailable',
      'Docker did not answer in time while making a sandbox; nothing ran',
    ]);
  }
});

test('a missing image is the operator’s to build, not to be tried again', () => {
  const error = Object.assign(new Error('(HTTP code 404) no such container - No such image: x:1'), {
    statusCode: 404,
  });
  const [name, message] = classify(error);
  expect(name).toBe('FailedPrecondition');
  expect(message).toContain('No such image: x:1');
});

test('an error that is decided already stays what it is', () => {
  const closed = new ConnectError('the session was closed', Code.Canceled);
  expect(asConnectError(closed, 'making a sandbox', '/run/docker.sock')).toBe(closed);
});
