import { openAICompatibleFormat } from '#gateway/models/openai-compatible/openai-compatible-format.ts';
import { openAIEncoding, wireChunk } from '#test/openai-wire-server.ts';
import {
  halves,
  type ProviderFixture,
  type SaidFinish,
  type SaidPiece,
} from '#test/providers/provider-fixture.ts';

const FINISHES = { stop: 'stop', calls: 'tool_calls', length: 'length', filtered: 'content_filter' } as const;
const USAGE = {
  prompt_tokens: 21,
  completion_tokens: 4,
  total_tokens: 25,
  prompt_tokens_details: { cached_tokens: 8 },
};

/** Chat completions. */
export const openAIFixture: ProviderFixture = {
  name: 'OpenAI',
  type: 'openai-compatible',
  format: openAICompatibleFormat,
  encoding: openAIEncoding,
  keyHeader: { name: 'authorization', value: key => `Bearer ${key}` },
  streamed: (pieces, finish) => ({
    stream: [
      ...pieces.flatMap((piece, index) => deltas(piece, index).map(delta => wireChunk(delta))),
      wireChunk({}, FINISHES[finish]),
      { id: 'x', choices: [], usage: USAGE },
    ],
  }),
  whole: (pieces, finish) => ({ json: completion(pieces, finish) }),
  begun: content => [wireChunk({ role: 'assistant', content })],
  cutInArguments: ({ tool, half }) => [
    wireChunk({ tool_calls: [{ index: 0, id: 'c_1', function: { name: tool, arguments: half } }] }),
  ],
  errorBody: (message, type) => JSON.stringify({ error: { message, type, code: null } }),
  overloaded: { error: { message: 'Overloaded', type: 'overloaded_error', code: null } },
  filesIn: body =>
    [...JSON.stringify(body).matchAll(/data:([\w/]+);base64,([\w=]+)/g)].map(
      ([, type, data]) => `${type} ${data}`,
    ),
};

function deltas(piece: SaidPiece, index: number): object[] {
  if ('text' in piece) return halves(piece.text).map(content => ({ role: 'assistant', content }));
  if ('thinking' in piece) return halves(piece.thinking).map(half => ({ reasoning_content: half }));
  return halves(piece.argumentsText).map((half, position) => ({
    tool_calls: [
      position === 0
        ? { index, id: piece.id, type: 'function', function: { name: piece.tool, arguments: half } }
        : { index, function: { arguments: half } },
    ],
  }));
}

function completion(pieces: readonly SaidPiece[], finish: SaidFinish): object {
  const calls = pieces.flatMap(piece =>
    'tool' in piece
      ? [{ id: piece.id, type: 'function', function: { name: piece.tool, arguments: piece.argumentsText } }]
      : [],
  );
  const message = {
    role: 'assistant',
    content: pieces.map(piece => ('text' in piece ? piece.text : '')).join('') || null,
    reasoning_content: pieces.map(piece => ('thinking' in piece ? piece.thinking : '')).join('') || null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: FINISHES[finish] }],
    usage: USAGE,
  };
}
