import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { callsOf, textOf } from '#test/model-history.ts';
import { askProvider, FIXTURE_KEY, providerFixtures } from '#test/providers/ask-provider.ts';
import type { SaidPiece } from '#test/providers/provider-fixture.ts';

const READ_A = '{"file_path":"a.txt","limit":3}';
const READ_B = '{"file_path":"b 😀.txt"}';
const TURN: SaidPiece[] = [
  { text: 'I look at both. 😀' },
  { id: 'c_1', tool: 'Read', argumentsText: READ_A },
  { id: 'c_2', tool: 'Read', argumentsText: READ_B },
];
const readTool = create(ToolSpecSchema, {
  name: 'Read',
  description: 'Reads a file',
  inputSchemaJson: '{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}',
});

describe.each(providerFixtures)('a model of $name', fixture => {
  test.each([
    { how: 'streamed', reply: fixture.streamed(TURN, 'calls'), stream: true },
    { how: 'asked for as a whole', reply: fixture.whole(TURN, 'calls'), stream: false },
    {
      how: 'sent as a whole though a stream was asked for',
      reply: fixture.whole(TURN, 'calls'),
      stream: true,
    },
  ])('says text, two calls and its usage in an answer that is $how', async ({ reply, stream }) => {
    const { chunks, error } = await askProvider(fixture, reply, {}, { stream });

    expect(error).toBeUndefined();
    expect(textOf(chunks)).toBe('I look at both. 😀');
    expect(callsOf(chunks).map(call => [call.id, call.name, JSON.parse(call.argumentsText)])).toEqual([
      ['c_1', 'Read', JSON.parse(READ_A)],
      ['c_2', 'Read', JSON.parse(READ_B)],
    ]);
    expect(chunks.at(-1)).toMatchObject({
      kind: 'finish',
      finish: ModelFinish.TOOL_CALLS,
      usage: { inputTokens: 21n, outputTokens: 4n, cachedInputTokens: 8n },
    });
    expect(chunks.filter(chunk => chunk.kind === 'finish')).toHaveLength(1);
  });

  test.each([
    { finish: 'stop', expected: ModelFinish.STOP },
    { finish: 'length', expected: ModelFinish.LENGTH },
    { finish: 'filtered', expected: ModelFinish.CONTENT_FILTER },
  ] as const)('ends with $finish', async ({ finish, expected }) => {
    for (const reply of [
      fixture.streamed([{ text: 'so' }], finish),
      fixture.whole([{ text: 'so' }], finish),
    ]) {
      const { chunks, error } = await askProvider(fixture, reply);

      expect(error).toBeUndefined();
      expect(chunks.at(-1)).toMatchObject({ kind: 'finish', finish: expected });
    }
  });

  test('thinks before it speaks', async () => {
    const pieces: SaidPiece[] = [{ thinking: 'let me see', signature: 'c2ln' }, { text: 'done' }];
    for (const reply of [fixture.streamed(pieces, 'stop'), fixture.whole(pieces, 'stop')]) {
      const { chunks, error } = await askProvider(fixture, reply);

      expect(error).toBeUndefined();
      expect(chunks.map(chunk => (chunk.kind === 'thinking' ? chunk.text : '')).join('')).toBe('let me see');
      expect(chunks.findLastIndex(chunk => chunk.kind === 'thinking')).toBeLessThan(
        chunks.findIndex(chunk => chunk.kind === 'text'),
      );
    }
  });

  test('gets instructions, tools, settings, headers and its key', async () => {
    const settings = { temperature: 0.5, maxOutputTokens: 77 };
    const { request, error } = await askProvider(
      fixture,
      fixture.streamed([{ text: 'hi' }], 'stop'),
      { instructions: 'Be brief.', tools: [readTool] },
      settings,
    );

    expect(error).toBeUndefined();
    const { name, value } = fixture.keyHeader;
    expect(request?.headers).toMatchObject({ [name]: value(FIXTURE_KEY), 'x-team': 'blue' });
    const sent = JSON.stringify(request?.body);
    for (const part of ['Be brief.', '"Read"', 'Reads a file', '"file_path"', '0.5', '77', '"go"']) {
      expect(sent).toContain(part);
    }
    expect(sent).not.toContain(FIXTURE_KEY);
  });

  test('that stops sending in the middle of a call has no end, and nothing of it may run', async () => {
    const stream = fixture.cutInArguments({ tool: 'Write', half: '{"file_path":"a' });
    for (const ending of ['cut', 'done'] as const) {
      const { chunks, error } = await askProvider(fixture, { stream, ending });

      expect(callsOf(chunks).map(call => call.name)).toEqual(['Write']);
      expect(chunks.some(chunk => chunk.kind === 'finish')).toBe(false);
      expect(error).toMatchObject({ name: 'ModelError', reason: 'BROKEN_STREAM', retryable: true });
    }
  });
});
