import { expect, test } from 'vitest';
import { callsOf, textOf } from '#test/model-history.ts';
import { askOnWire } from '#test/openai-model.ts';
import { wireChunk } from '#test/openai-wire-server.ts';
import type { WireReply } from '#test/wire-server.ts';

const hello = wireChunk({ content: 'hello' });
const end = wireChunk({}, 'stop');
const sse = (...events: object[]) => events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('');

test.each<{ quirk: string; reply: WireReply }>([
  {
    quirk: '"error": null in each chunk',
    reply: {
      stream: [
        { ...hello, error: null },
        { ...end, error: null },
      ],
    },
  },
  {
    quirk: 'pings without choices',
    reply: { stream: [{ type: 'ping' }, hello, { id: 'x' }, end, { usage: {} }] },
  },
  { quirk: 'choices that are null', reply: { stream: [{ choices: null, usage: null }, hello, end] } },
  { quirk: 'a role of its own', reply: { stream: [wireChunk({ role: 'model', content: 'hello' }), end] } },
  {
    quirk: 'numbers for ids and texts for times',
    reply: { stream: [{ ...hello, id: 7, created: 'now' }, end] },
  },
  {
    quirk: 'an empty finish reason in each chunk',
    reply: { stream: [wireChunk({ content: 'hello' }, ''), end, wireChunk({}, '')] },
  },
  {
    quirk: 'no delta beside the finish reason',
    reply: { stream: [hello, { choices: [{ finish_reason: 'stop' }] }] },
  },
  {
    quirk: 'a whole message in place of a delta',
    reply: {
      stream: [{ choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }] }],
    },
  },
  {
    quirk: 'an empty list of calls',
    reply: { stream: [wireChunk({ content: 'hello', tool_calls: [] }), end] },
  },
  {
    quirk: 'comments and named events',
    reply: { raw: `: keep-alive\n\nevent: chunk\n${sse(hello)}: ping\n\n${sse(end)}` },
  },
  { quirk: 'lines that end in CR LF', reply: { raw: sse(hello, end).replaceAll('\n', '\r\n') } },
  { quirk: 'no space after "data:"', reply: { raw: sse(hello, end).replaceAll('data: ', 'data:') } },
  { quirk: 'no empty line between events', reply: { raw: `${sse(hello, end).replaceAll('\n\n', '\n')}\n` } },
  { quirk: 'no empty line after the last event', reply: { raw: sse(hello, end).trimEnd(), ending: 'bare' } },
  { quirk: 'no [DONE]', reply: { stream: [hello, end], ending: 'bare' } },
  {
    quirk: 'a connection that breaks after the finish reason',
    reply: { stream: [hello, end], ending: 'cut' },
  },
  { quirk: 'more after [DONE]', reply: { raw: `${sse(hello, end)}data: [DONE]\n\ndata: {"half":\n\n` } },
])('an answer with $quirk is read', async ({ reply }) => {
  const { chunks, error } = await askOnWire(reply);

  expect(error).toBeUndefined();
  expect(textOf(chunks)).toBe('hello');
  expect(chunks.at(-1)).toMatchObject({ kind: 'finish' });
});

test('characters of several bytes may be split between packets', async () => {
  const bytes = Buffer.from(sse(wireChunk({ content: 'é😀漢' }), end));
  const start = bytes.indexOf('é');
  for (let place = start; place < start + Buffer.byteLength('é😀漢'); place += 1) {
    const { chunks } = await askOnWire({
      pieces: [bytes.subarray(0, place), bytes.subarray(place)],
    });
    expect(textOf(chunks)).toBe('é😀漢');
  }
});

test.each([
  { says: 'Rate limit', sent: { object: 'error', message: 'Rate limit', code: 429 }, reason: 'RATE_LIMITED' },
  {
    says: 'Requests throttled',
    sent: { code: 'Throttling.RateQuota', message: 'Requests throttled', request_id: 'x' },
    reason: 'RATE_LIMITED',
  },
  { says: 'no such field', sent: { detail: [{ msg: 'no such field' }] }, reason: 'BROKEN_STREAM' },
  { says: 'server busy', sent: { error: { message: 'server busy', code: '503' } }, reason: 'UNAVAILABLE' },
])('an error that a server sends in a shape of its own says $says', async ({ sent, says, reason }) => {
  const { error } = await askOnWire({ stream: [sent] });

  expect(error).toMatchObject({ reason, message: expect.stringContaining(says) });
});

test('a whole answer may have arguments that are an object and a role of its own', async () => {
  const call = { id: 'c_1', type: 'function', function: { name: 'Read', arguments: { file_path: 'a.txt' } } };
  const message = { role: 'model', content: null, tool_calls: [call] };
  const { chunks, error } = await askOnWire(
    { json: { id: 7, error: null, choices: [{ index: 0, message, finish_reason: 'stop' }] } },
    {},
    { stream: false },
  );

  expect(error).toBeUndefined();
  expect(callsOf(chunks)).toEqual([{ id: 'c_1', name: 'Read', argumentsText: '{"file_path":"a.txt"}' }]);
});
