import { expect, test } from 'vitest';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { callsOf } from '#test/model-history.ts';
import { askOnWire } from '#test/openai-model.ts';
import { wireChunk } from '#test/openai-wire-server.ts';

const READ_A = '{"file_path":"a.txt"}';
const READ_B = '{"file_path":"b.txt"}';
const piece = (call: object) => wireChunk({ tool_calls: [call] });
const end = (reason = 'tool_calls') => wireChunk({}, reason);

test.each([
  {
    quirk: 'arguments in one delta',
    stream: [piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: READ_A } }), end()],
    calls: [['c_1', 'Read', READ_A]],
  },
  {
    quirk: 'no index, and no id after the first delta',
    stream: [
      piece({ id: 'c_a', type: 'function', function: { name: 'Read', arguments: '{"file_path":' } }),
      piece({ function: { arguments: '"a.txt"}' } }),
      end(),
    ],
    calls: [['c_a', 'Read', READ_A]],
  },
  {
    quirk: 'two calls that share an index',
    stream: [
      piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: READ_A } }),
      piece({ index: 0, id: 'c_2', function: { name: 'Read', arguments: READ_B } }),
      end(),
    ],
    calls: [
      ['c_1', 'Read', READ_A],
      ['c_2', 'Read', READ_B],
    ],
  },
  {
    quirk: 'the name sent again with each delta',
    stream: [
      piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: '{"file' } }),
      piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: '_path":' } }),
      piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: '"a.txt"}' } }),
      end(),
    ],
    calls: [['c_1', 'Read', READ_A]],
  },
  {
    quirk: 'an empty id and a null or empty name in later deltas',
    stream: [
      piece({ index: 0, id: 'call_9', function: { name: 'Read', arguments: '' } }),
      piece({ index: 0, id: '', function: { name: null, arguments: '{"file_path":' } }),
      piece({ index: 0, id: '', function: { name: '', arguments: '"a.txt"}' } }),
      end(),
    ],
    calls: [['call_9', 'Read', READ_A]],
  },
  {
    quirk: 'arguments without id and index after a call that takes none',
    stream: [
      piece({ id: 'c_1', function: { name: 'Ping', arguments: '' } }),
      piece({ id: 'c_2', function: { name: 'Read', arguments: '' } }),
      piece({ function: { arguments: READ_A } }),
      end(),
    ],
    calls: [
      ['c_1', 'Ping', ''],
      ['c_2', 'Read', READ_A],
    ],
  },
  {
    quirk: 'neither ids nor indexes',
    stream: [
      piece({ function: { name: 'Ping', arguments: '' } }),
      piece({ function: { name: 'Read', arguments: '{"file_path":' } }),
      piece({ function: { arguments: '"a.txt"}' } }),
      piece({ function: { name: 'Read', arguments: READ_B } }),
      end(),
    ],
    calls: [
      [expect.stringMatching(/./), 'Ping', ''],
      [expect.stringMatching(/./), 'Read', READ_A],
      [expect.stringMatching(/./), 'Read', READ_B],
    ],
  },
  {
    quirk: 'neither ids nor indexes, and the name sent again with each delta',
    stream: [
      piece({ function: { name: 'Read', arguments: '{"file_path":' } }),
      piece({ function: { name: 'Read', arguments: '"a.txt"}' } }),
      end(),
    ],
    calls: [[expect.stringMatching(/./), 'Read', READ_A]],
  },
  {
    quirk: 'arguments that are an object',
    stream: [
      piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: { file_path: 'a.txt' } } }),
      end(),
    ],
    calls: [['c_1', 'Read', READ_A]],
  },
  {
    quirk: 'no inner function',
    stream: [piece({ index: '0', id: 'c_1', name: 'Read', arguments: READ_A }), end()],
    calls: [['c_1', 'Read', READ_A]],
  },
  {
    quirk: 'an id in a delta of its own',
    stream: [
      piece({ id: 'c_1', type: 'function' }),
      piece({ function: { name: 'Read', arguments: READ_A } }),
      end(),
    ],
    calls: [['c_1', 'Read', READ_A]],
  },
  {
    quirk: 'a single call outside a list',
    stream: [wireChunk({ tool_calls: { id: 'c_1', function: { name: 'Read', arguments: READ_A } } }), end()],
    calls: [['c_1', 'Read', READ_A]],
  },
  {
    quirk: 'the name of the first function calls',
    stream: [
      wireChunk({ function_call: { name: 'Read', arguments: '{"file_path":' } }),
      wireChunk({ function_call: { arguments: '"a.txt"}' } }),
      end('function_call'),
    ],
    calls: [[expect.stringMatching(/./), 'Read', READ_A]],
  },
  {
    quirk: 'no arguments at all',
    stream: [piece({ index: 0, id: 'c_1', function: { name: 'Ping', arguments: '' } }), end()],
    calls: [['c_1', 'Ping', '']],
  },
  {
    quirk: 'one id for two calls',
    stream: [
      piece({ index: 0, id: 'same', function: { name: 'Read', arguments: READ_A } }),
      piece({ index: 1, id: 'same', function: { name: 'Read', arguments: READ_B } }),
      end(),
    ],
    calls: [
      ['same', 'Read', READ_A],
      [expect.not.stringMatching(/^same$/), 'Read', READ_B],
    ],
  },
  {
    quirk: 'no ids',
    stream: [
      piece({ index: 0, id: '', function: { name: 'Read', arguments: READ_A } }),
      piece({ index: 1, function: { name: 'Read', arguments: READ_B } }),
      end(),
    ],
    calls: [
      [expect.stringMatching(/./), 'Read', READ_A],
      [expect.stringMatching(/./), 'Read', READ_B],
    ],
  },
  {
    quirk: 'interleaved deltas of two calls',
    stream: [
      piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: '{"file_path":' } }),
      piece({ index: 1, id: 'c_2', function: { name: 'Read', arguments: '{"file_path":' } }),
      piece({ index: 0, function: { arguments: '"a.txt"}' } }),
      piece({ index: 1, function: { arguments: '"b.txt"}' } }),
      end(),
    ],
    calls: [
      ['c_1', 'Read', READ_A],
      ['c_2', 'Read', READ_B],
    ],
  },
  {
    quirk: 'the finish reason "stop" after a call',
    stream: [piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: READ_A } }), end('stop')],
    calls: [['c_1', 'Read', READ_A]],
  },
])('calls with $quirk come out whole', async ({ stream, calls }) => {
  const { chunks, error } = await askOnWire({ stream });

  expect(error).toBeUndefined();
  expect(callsOf(chunks).map(call => [call.id, call.name, call.argumentsText])).toEqual(calls);
  expect(new Set(callsOf(chunks).map(call => call.id)).size).toBe(calls.length);
  expect(chunks.at(-1)).toMatchObject({ kind: 'finish', finish: ModelFinish.TOOL_CALLS });
});

test('a piece of arguments that fits two calls fails the answer instead of being lost', async () => {
  const { error } = await askOnWire({
    stream: [
      piece({ index: 0, id: 'c_1', function: { name: 'Read', arguments: '{"a":' } }),
      piece({ index: 1, id: 'c_2', function: { name: 'Read', arguments: '{"a":' } }),
      piece({ index: 1, id: 'c_1', function: { arguments: READ_A } }),
      end(),
    ],
  });

  expect(error).toMatchObject({
    reason: 'BROKEN_STREAM',
    message: 'The model provider "local" sent pieces of tool calls that cannot be told apart.',
  });
});

test.each([
  { said: 'length', finish: ModelFinish.LENGTH },
  { said: 'content_filter', finish: ModelFinish.CONTENT_FILTER },
  { said: 'eos_token', finish: ModelFinish.STOP },
])('the finish reason $said is understood', async ({ said, finish }) => {
  const { chunks } = await askOnWire({ stream: [wireChunk({ content: 'a' }), end(said)] });

  expect(chunks.at(-1)).toMatchObject({ kind: 'finish', finish });
});

test('an answer cut by its length keeps the half call and says so', async () => {
  const half = '{"file_path":"big.md","content":"# Title\\nhalf of';
  const { chunks } = await askOnWire({
    stream: [piece({ index: 0, id: 'c_1', function: { name: 'Write', arguments: half } }), end('length')],
  });

  expect(callsOf(chunks)[0]?.argumentsText).toBe(half);
  expect(chunks.at(-1)).toMatchObject({ kind: 'finish', finish: ModelFinish.LENGTH });
});
