import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import type { ModelChunk } from '#gateway/models/model.ts';
import { type Message, MessageRole, MessageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import {
  assistantMessage,
  callPart,
  resultPart,
  textPart,
  toolMessage,
  userMessage,
} from '#test/model-history.ts';
import { anthropicFixture } from '#test/providers/anthropic-fixture.ts';
import { askProvider, providerFixtures } from '#test/providers/ask-provider.ts';
import { googleFixture } from '#test/providers/google-fixture.ts';
import { openAIFixture } from '#test/providers/openai-fixture.ts';
import type { ProviderFixture } from '#test/providers/provider-fixture.ts';

const dataBlock = (mediaType: string, name: string, text: string) =>
  ({ case: 'data', value: { mediaType, name, data: new TextEncoder().encode(text) } }) as const;

async function sentBody(fixture: ProviderFixture, messages: readonly Message[]): Promise<unknown> {
  const { request, error } = await askProvider(fixture, fixture.streamed([{ text: 'ok' }], 'stop'), {
    messages,
  });
  expect(error).toBeUndefined();
  return request?.body;
}

describe.each(providerFixtures)('the history for a model of $name', fixture => {
  test('carries images and PDFs of the user, and a line about what no model reads', async () => {
    const parts = [
      textPart('see'),
      ...[
        dataBlock('image/png', 'a.png', 'png'),
        dataBlock('application/pdf', 'a.pdf', 'pdf'),
        dataBlock('application/zip', 'a.zip', 'zip'),
      ].map(block => ({ part: { case: 'content' as const, value: { block } } })),
    ];
    const body = await sentBody(fixture, [create(MessageSchema, { role: MessageRole.USER, parts })]);

    expect(fixture.filesIn(body)).toEqual(['image/png cG5n', 'application/pdf cGRm']);
    expect(JSON.stringify(body)).toContain('[a.zip, application/zip, 3 bytes]');
  });

  test('carries images of a result where the format can, and names them in any case', async () => {
    const content = [{ block: dataBlock('image/png', 'shot.png', 'png') }];
    const body = await sentBody(fixture, [
      userMessage('go'),
      assistantMessage(callPart({ id: 'c_1', tool: 'Look' })),
      toolMessage(resultPart({ id: 'c_1', tool: 'Look', more: { content } })),
    ]);

    expect(fixture.filesIn(body)).toEqual(fixture === openAIFixture ? [] : ['image/png cG5n']);
    expect(JSON.stringify(body)).toContain('[shot.png, image/png, 3 bytes]');
  });

  test('has one result for each call, under ids the provider accepts', async () => {
    const callId = 'call_01234567-89ab-cdef-0123-456789abcdef';
    const body = await sentBody(fixture, [
      userMessage('go'),
      assistantMessage(
        callPart({ id: '', callId, tool: 'Read' }),
        callPart({ id: 'x'.repeat(80), callId: 'gw-2', tool: 'Read' }),
      ),
      toolMessage(
        resultPart({ id: '', callId, text: 'first result' }),
        resultPart({ id: '', callId: 'gw-2', text: 'second result', outcome: Outcome.ERROR }),
      ),
      userMessage('and now?'),
    ]);
    const ids = [...JSON.stringify(body).matchAll(/"(?:id|tool_call_id|tool_use_id)":"([^"]+)"/g)].map(
      ([, id]) => id ?? '',
    );

    const own = 'call_0123456789abcdef0123456789abcdef';
    expect(ids.filter(id => id === own)).toHaveLength(2);
    expect(ids.filter(id => id === 'gw-2')).toHaveLength(2);
    expect(ids.every(id => /^[\w-]{1,40}$/.test(id))).toBe(true);
    expect(JSON.stringify(body)).toContain('second result');
  });
});

test('signed thoughts of Anthropic go back as they came, block by block', async () => {
  const { chunks } = await askProvider(anthropicFixture, {
    stream:
      anthropicFixture.streamed(
        [
          { thinking: 'first', signature: 'c2lnMQ==' },
          { thinking: 'second', signature: 'c2lnMg==' },
          { id: 'c_1', tool: 'Read', argumentsText: '{}' },
        ],
        'calls',
      ).stream ?? [],
  });
  const thoughts = thinkingParts(chunks);

  expect(thoughts.map(part => part.part.value.text)).toEqual(['first', 'second']);
  const body = await sentBody(anthropicFixture, [
    userMessage('go'),
    assistantMessage(...thoughts, callPart({ id: 'c_1', tool: 'Read' })),
    toolMessage(resultPart({ id: 'c_1', text: 'AAA' })),
  ]);

  expect(body).toMatchObject({
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'first', signature: 'c2lnMQ==' },
          { type: 'thinking', thinking: 'second', signature: 'c2lnMg==' },
          { type: 'tool_use', id: 'c_1', name: 'Read', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c_1' }] },
    ],
  });
});

test('hidden thoughts of Anthropic go back as they came', async () => {
  const stream = [...(anthropicFixture.streamed([{ text: 'x' }], 'stop').stream ?? [])];
  stream.splice(
    1,
    0,
    { type: 'content_block_start', index: 9, content_block: { type: 'redacted_thinking', data: 'aGlkZGVu' } },
    { type: 'content_block_stop', index: 9 },
  );
  const { chunks, error } = await askProvider(anthropicFixture, { stream });
  expect(error).toBeUndefined();
  const body = await sentBody(anthropicFixture, [
    userMessage('go'),
    assistantMessage(...thinkingParts(chunks), callPart({ id: 'c_1', tool: 'Read' })),
    toolMessage(resultPart({ id: 'c_1', text: 'AAA' })),
  ]);

  expect(JSON.stringify(body)).toContain('{"type":"redacted_thinking","data":"aGlkZGVu"}');
});

test('a failed result is marked as an error towards Anthropic', async () => {
  const body = await sentBody(anthropicFixture, [
    userMessage('go'),
    assistantMessage(callPart({ id: 'c_1', tool: 'Bash' })),
    toolMessage(resultPart({ id: 'c_1', text: 'Traceback', outcome: Outcome.ERROR, more: { exitCode: 1 } })),
  ]);

  expect(JSON.stringify(body)).toContain('"content":"[ERROR, exit code 1]\\nTraceback","is_error":true');
});

test.each([
  {
    fixture: anthropicFixture,
    options: { thinking: { type: 'enabled', budgetTokens: 2000 }, cacheControl: { type: 'ephemeral' } },
    sent: { thinking: { type: 'enabled', budget_tokens: 2000 }, cache_control: { type: 'ephemeral' } },
  },
  {
    fixture: googleFixture,
    options: { thinkingConfig: { thinkingBudget: 512 } },
    sent: { generationConfig: { thinkingConfig: { thinkingBudget: 512 } } },
  },
  { fixture: openAIFixture, options: { enable_thinking: true }, sent: { enable_thinking: true } },
])('options reach a model of $fixture.name in its own words', async ({ fixture, options, sent }) => {
  const reply = fixture.streamed([{ text: 'ok' }], 'stop');
  const { request, error } = await askProvider(fixture, reply, {}, { options });

  expect(error).toBeUndefined();
  expect(request?.body).toMatchObject(sent);
});

test('the signature of a call of Google goes back with that call', async () => {
  const part = { functionCall: { id: 'c_1', name: 'Read', args: {} }, thoughtSignature: 'c2ln' };
  const { chunks, error } = await askProvider(googleFixture, {
    stream: [{ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }] }],
  });
  const json = chunks.map(chunk => (chunk.kind === 'tool-call' ? chunk.providerMetadataJson : '')).join('');
  const body = await sentBody(googleFixture, [
    userMessage('go'),
    assistantMessage(callPart({ id: 'c_1', tool: 'Read', providerMetadataJson: json })),
    toolMessage(resultPart({ id: 'c_1', text: 'AAA' })),
  ]);

  expect(error).toBeUndefined();
  expect(body).toMatchObject({
    contents: [{}, { parts: [{ functionCall: { name: 'Read' }, thoughtSignature: 'c2ln' }] }, {}],
  });
});

test('thoughts that another provider signed are not shown', async () => {
  const thought = (signedBy: string) => ({
    part: {
      case: 'thinking' as const,
      value: {
        text: `by ${signedBy}`,
        providerMetadataJson: JSON.stringify({ [signedBy]: { signature: 'c2ln' } }),
      },
    },
  });
  for (const fixture of [anthropicFixture, googleFixture]) {
    const body = await sentBody(fixture, [
      userMessage('go'),
      assistantMessage(thought('elsewhere'), callPart({ id: 'c_1', tool: 'Read' })),
      toolMessage(resultPart({ id: 'c_1', text: 'AAA' })),
    ]);

    expect(JSON.stringify(body)).not.toContain('by elsewhere');
  }
});

function thinkingParts(chunks: readonly ModelChunk[]) {
  const blocks: { text: string; providerMetadataJson: string }[] = [];
  for (const chunk of chunks) {
    if (chunk.kind !== 'thinking') continue;
    if (blocks.length === 0 || chunk.beginsBlock) blocks.push({ text: '', providerMetadataJson: '' });
    const last = blocks.at(-1);
    if (last === undefined) continue;
    last.text += chunk.text;
    last.providerMetadataJson = chunk.providerMetadataJson ?? last.providerMetadataJson;
  }
  return blocks.map(value => ({ part: { case: 'thinking' as const, value } }));
}
