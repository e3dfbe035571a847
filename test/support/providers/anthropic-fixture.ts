import { anthropicFormat } from '#gateway/models/anthropic/anthropic-format.ts';
import {
  halves,
  type ProviderFixture,
  type SaidFinish,
  type SaidPiece,
} from '#test/providers/provider-fixture.ts';

const FINISHES = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', filtered: 'refusal' } as const;
const INPUT_USAGE = { input_tokens: 13, cache_read_input_tokens: 8, cache_creation_input_tokens: 0 };
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'test' };
const START = {
  type: 'message_start',
  message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...INPUT_USAGE, output_tokens: 1 } },
};

/** Messages. */
export const anthropicFixture: ProviderFixture = {
  name: 'Anthropic',
  type: 'anthropic',
  format: anthropicFormat,
  encoding: {
    encode: event => `event: ${'type' in event ? event.type : 'message'}\ndata: ${JSON.stringify(event)}\n\n`,
    done: '',
  },
  keyHeader: { name: 'x-api-key', value: key => key },
  streamed: (pieces, finish) => ({ stream: events(pieces, finish) }),
  whole: (pieces, finish) => ({
    json: {
      ...MESSAGE,
      content: pieces.map(block),
      stop_reason: FINISHES[finish],
      usage: { ...INPUT_USAGE, output_tokens: 4 },
    },
  }),
  begun: text => [
    START,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  ],
  cutInArguments: ({ tool, half }) => [
    START,
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'c_1', name: tool, input: {} },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: half } },
  ],
  errorBody: (message, type) => JSON.stringify({ type: 'error', error: { type, message } }),
  overloaded: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  filesIn: body =>
    [...JSON.stringify(body).matchAll(/"media_type":"([^"]+)","data":"([^"]+)"/g)].map(
      ([, type, data]) => `${type} ${data}`,
    ),
};

function events(pieces: readonly SaidPiece[], finish: SaidFinish): object[] {
  return [
    START,
    { type: 'ping' },
    ...pieces.flatMap((piece, index) => [
      { type: 'content_block_start', index, content_block: emptyBlock(piece) },
      ...deltas(piece).map(delta => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: FINISHES[finish] }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ];
}

function emptyBlock(piece: SaidPiece): object {
  if ('text' in piece) return { type: 'text', text: '' };
  if ('thinking' in piece) return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'tool_use', id: piece.id, name: piece.tool, input: {} };
}

function deltas(piece: SaidPiece): object[] {
  if ('text' in piece) return halves(piece.text).map(text => ({ type: 'text_delta', text }));
  if ('thinking' in piece) {
    const thoughts = halves(piece.thinking).map(thinking => ({ type: 'thinking_delta', thinking }));
    return [...thoughts, { type: 'signature_delta', signature: piece.signature }];
  }
  return halves(piece.argumentsText).map(half => ({ type: 'input_json_delta', partial_json: half }));
}

function block(piece: SaidPiece): object {
  if ('text' in piece) return { type: 'text', text: piece.text };
  if ('thinking' in piece) return { type: 'thinking', thinking: piece.thinking, signature: piece.signature };
  return { type: 'tool_use', id: piece.id, name: piece.tool, input: JSON.parse(piece.argumentsText) };
}
