import { expect, test } from 'vitest';
import { modelRequest, playModel, textOf, userMessage } from '#test/model-history.ts';
import { askOnWire, openAIModelAt, WIRE_KEY } from '#test/openai-model.ts';
import { startOpenAIWireServer, wireChunk, wireText } from '#test/openai-wire-server.ts';
import type { WireReply } from '#test/wire-server.ts';

test.each<{ break: string; reply: WireReply; says: string }>([
  {
    break: 'a connection that is cut',
    reply: { stream: [wireChunk({ content: 'half' })], ending: 'cut' },
    says: 'broke off its answer',
  },
  {
    break: 'a stream that ends without a finish reason',
    reply: { stream: [wireChunk({ content: 'half' })] },
    says: 'without a finish reason',
  },
  {
    break: 'JSON that is none',
    reply: { stream: [wireChunk({ content: 'half' })], raw: 'data: {"choices": [\n\n' },
    says: 'JSON',
  },
  {
    break: 'an error that is a text',
    reply: { stream: [wireChunk({ content: 'half' }), { error: 'engine fault' }] },
    says: 'broke off its answer: engine fault',
  },
  {
    break: 'an error in the middle',
    reply: {
      stream: [wireChunk({ content: 'half' }), { error: { message: 'the engine died', code: 'x' } }],
    },
    says: 'the engine died',
  },
  {
    break: 'a finish reason nobody knows',
    reply: { stream: [wireChunk({ content: 'half' }), wireChunk({}, 'insufficient_system_resource')] },
    says: 'insufficient_system_resource',
  },
])('an answer with $break is a broken stream after the text that came', async ({ reply, says }) => {
  const { chunks, error } = await askOnWire(reply);

  expect(textOf(chunks)).toBe('half');
  expect(chunks.some(chunk => chunk.kind === 'finish')).toBe(false);
  expect(error).toMatchObject({
    name: 'ModelError',
    reason: 'BROKEN_STREAM',
    message: expect.stringContaining(says),
  });
});

const sent = (message: string, code = 'x') => JSON.stringify({ error: { message, type: 'e', code } });

test.each<{ reply: WireReply; expected: object; says: string }>([
  {
    reply: { status: 401, body: sent(`Incorrect API key provided: ${WIRE_KEY}`) },
    expected: { reason: 'REFUSED', retryable: false },
    says: 'HTTP 401, Incorrect API key provided: [key]',
  },
  {
    reply: { status: 404, body: sent('The model tiny does not exist') },
    expected: { reason: 'REFUSED', retryable: false },
    says: 'HTTP 404, The model tiny does not exist',
  },
  {
    reply: { status: 422, body: '{"detail": "no such field"}' },
    expected: { reason: 'REFUSED', retryable: false },
    says: 'HTTP 422, {"detail": "no such field"}',
  },
  {
    reply: { status: 429, headers: { 'retry-after': '7' }, body: sent('slow down') },
    expected: { reason: 'RATE_LIMITED', retryable: true, retryAfterMs: 7_000 },
    says: 'HTTP 429, slow down',
  },
  {
    reply: {
      status: 429,
      headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:09 GMT' },
      body: sent('slow down'),
    },
    expected: { reason: 'RATE_LIMITED', retryAfterMs: 9_000 },
    says: 'HTTP 429',
  },
  {
    reply: { status: 429, body: sent('You exceeded your quota', 'insufficient_quota') },
    expected: { reason: 'RATE_LIMITED', retryable: false },
    says: 'You exceeded your quota',
  },
  {
    reply: { status: 500, body: '' },
    expected: { reason: 'UNAVAILABLE', retryable: true },
    says: 'HTTP 500',
  },
  {
    reply: { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>busy</h1>' },
    expected: { reason: 'UNAVAILABLE', retryable: true },
    says: '<h1>busy</h1>',
  },
  {
    reply: { stream: [{ error: { message: 'too fast', code: 429 } }] },
    expected: { reason: 'RATE_LIMITED', retryable: true },
    says: 'too fast',
  },
  {
    reply: { ending: 'cut' },
    expected: { reason: 'BROKEN_STREAM', retryable: true },
    says: 'broke off its answer',
  },
])('a reply that says $says is the error $expected.reason', async ({ reply, expected, says }) => {
  const { chunks, error } = await askOnWire(reply);

  expect(chunks).toEqual([]);
  expect(error).toMatchObject({ name: 'ModelError', ...expected, message: expect.stringContaining(says) });
});

test('no error carries the key or the request', async () => {
  const { error } = await askOnWire({ status: 400, body: sent(`bad: ${WIRE_KEY}`) });

  expect(error instanceof Error && error.cause).toBeUndefined();
  expect(`${JSON.stringify(error)}${error}`).not.toContain(WIRE_KEY);
});

test('a server that is not there is unreachable', async () => {
  const server = await startOpenAIWireServer([]);
  const { baseUrl } = server;
  await server[Symbol.asyncDispose]();
  const { error } = await playModel(openAIModelAt(baseUrl), modelRequest([userMessage('go')]));

  expect(error).toMatchObject({ reason: 'UNREACHABLE', retryable: true });
  expect(String(error)).toContain('The model provider "local" cannot be reached');
});

test('an answer that does not end in time is an error that names the time', async () => {
  const { chunks, error } = await askOnWire(
    { stream: [wireChunk({ content: 'a' })], ending: 'hang' },
    {},
    { timeoutMs: 300 },
  );

  expect(textOf(chunks)).toBe('a');
  expect(error).toMatchObject({ reason: 'TIMED_OUT', message: expect.stringContaining('300 ms') });
});

test('a missing key is named before anything is sent', async () => {
  await using server = await startOpenAIWireServer([wireText('hi')]);
  const { error } = await playModel(
    openAIModelAt(server.baseUrl, { env: {} }),
    modelRequest([userMessage('go')]),
  );

  expect(error).toMatchObject({ reason: 'NOT_CONFIGURED', message: expect.stringContaining('LOCAL_KEY') });
  expect(server.requests).toHaveLength(0);
});

test('a key with a line break inside never reaches an error', async () => {
  await using server = await startOpenAIWireServer([wireText('hi')]);
  const { error } = await playModel(
    openAIModelAt(server.baseUrl, { env: { LOCAL_KEY: 'sk-one\nsk-two' } }),
    modelRequest([userMessage('go')]),
  );

  expect(error).toMatchObject({ reason: 'NOT_CONFIGURED' });
  expect(String(error)).not.toContain('sk-');
});
