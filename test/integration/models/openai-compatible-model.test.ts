import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { modelRequest, playModel, userMessage } from '#test/model-history.ts';
import { askOnWire, openAIModelAt, WIRE_KEY } from '#test/openai-model.ts';
import { startOpenAIWireServer, wireChunk, wireText } from '#test/openai-wire-server.ts';

test('a request carries key, model, instructions, tools and the wish for usage', async () => {
  const tool = create(ToolSpecSchema, {
    name: 'Read',
    description: 'Reads a file',
    inputSchemaJson:
      '{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}',
  });
  const { requests } = await askOnWire(wireText('hi'), { instructions: 'Be brief.', tools: [tool] });

  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    path: 'POST /v1/chat/completions',
    headers: { authorization: `Bearer ${WIRE_KEY}` },
    body: {
      model: 'tiny',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'go' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'Read',
            description: 'Reads a file',
            parameters: {
              type: 'object',
              properties: { file_path: { type: 'string' } },
              required: ['file_path'],
            },
          },
        },
      ],
    },
  });
});

test('without tools the request has no empty list of them', async () => {
  const { requests } = await askOnWire(wireText('hi'));

  expect(requests[0]?.body).not.toHaveProperty('tools');
});

test('text and thinking arrive piece by piece, usage from a last chunk without choices', async () => {
  const { chunks, error } = await askOnWire({
    stream: [
      wireChunk({ role: 'assistant', reasoning_content: 'hm' }),
      wireChunk({ content: 'Hel' }),
      wireChunk({ content: 'lo 😀' }),
      wireChunk({}, 'stop'),
      {
        id: 'x',
        choices: [],
        usage: {
          prompt_tokens: 21,
          completion_tokens: 4,
          total_tokens: 25,
          prompt_tokens_details: { cached_tokens: 8 },
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      },
    ],
  });

  expect(error).toBeUndefined();
  expect(chunks).toEqual([
    { kind: 'thinking', text: 'hm' },
    { kind: 'text', text: 'Hel' },
    { kind: 'text', text: 'lo 😀' },
    {
      kind: 'finish',
      finish: ModelFinish.STOP,
      usage: expect.objectContaining({
        inputTokens: 21n,
        outputTokens: 4n,
        cachedInputTokens: 8n,
        reasoningTokens: 2n,
      }),
    },
  ]);
});

test('a piece of text is there before the next one was sent', async () => {
  await using server = await startOpenAIWireServer([
    { stream: [wireChunk({ content: 'early' })], ending: 'hang' },
  ]);
  const abort = new AbortController();
  const stream = openAIModelAt(server.baseUrl).stream(modelRequest([userMessage('go')]), abort.signal);
  const iterator = stream[Symbol.asyncIterator]();

  expect(await iterator.next()).toEqual({ done: false, value: { kind: 'text', text: 'early' } });

  const reason = new Error('stop');
  abort.abort(reason);
  await expect(iterator.next()).rejects.toBe(reason);
  await server.clientGone;
});

test('an abort before the server answers lets go of the connection', async () => {
  await using server = await startOpenAIWireServer([{ ending: 'hang' }]);
  const abort = new AbortController();
  const played = playModel(openAIModelAt(server.baseUrl), modelRequest([userMessage('go')]), abort.signal);
  await expect.poll(() => server.requests.length).toBe(1);
  abort.abort(new Error('stop'));

  expect(await played).toMatchObject({ chunks: [], error: { message: 'stop' } });
  await server.clientGone;
});

test('a consumer that stops reading lets go of the connection', async () => {
  await using server = await startOpenAIWireServer([
    { stream: [wireChunk({ content: 'one' }), wireChunk({ content: 'two' })], ending: 'hang' },
  ]);
  for await (const _ of openAIModelAt(server.baseUrl).stream(
    modelRequest([userMessage('go')]),
    new AbortController().signal,
  )) {
    break;
  }

  await server.clientGone;
});
