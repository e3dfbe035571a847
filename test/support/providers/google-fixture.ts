import { googleFormat } from '#gateway/models/google/google-format.ts';
import { halves, type ProviderFixture, type SaidPiece } from '#test/providers/provider-fixture.ts';

const FINISHES = { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', filtered: 'SAFETY' } as const;
const USAGE = {
  promptTokenCount: 21,
  cachedContentTokenCount: 8,
  candidatesTokenCount: 4,
  totalTokenCount: 25,
};

/** The method generateContent. */
export const googleFixture: ProviderFixture = {
  name: 'Google',
  type: 'google',
  format: googleFormat,
  encoding: { encode: event => `data: ${JSON.stringify(event)}\r\n\r\n`, done: '' },
  keyHeader: { name: 'x-goog-api-key', value: key => key },
  streamed: (pieces, finish) => ({
    stream: [
      ...pieces.flatMap(streamedParts).map(part => chunk([part])),
      { ...chunk([{ text: '' }], FINISHES[finish]), usageMetadata: USAGE },
    ],
  }),
  whole: (pieces, finish) => ({
    json: { ...chunk(pieces.map(wholePart), FINISHES[finish]), usageMetadata: USAGE },
  }),
  begun: text => [chunk([{ text }])],
  // Calls come whole in this format, so the half is a second call that never came.
  cutInArguments: ({ tool }) => [chunk([{ functionCall: { name: tool, args: {} } }])],
  errorBody: (message, type) => JSON.stringify({ error: { code: 400, message, status: type.toUpperCase() } }),
  overloaded: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
  filesIn: body =>
    [...JSON.stringify(body).matchAll(/"mimeType":"([^"]+)","data":"([^"]+)"/g)].map(
      ([, type, data]) => `${type} ${data}`,
    ),
};

function chunk(parts: readonly object[], finishReason?: string): object {
  return { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }] };
}

function streamedParts(piece: SaidPiece): object[] {
  if ('text' in piece) return halves(piece.text).map(text => ({ text }));
  if ('thinking' in piece) return halves(piece.thinking).map(text => ({ text, thought: true }));
  return [wholePart(piece)];
}

function wholePart(piece: SaidPiece): object {
  if ('text' in piece) return { text: piece.text };
  if ('thinking' in piece) return { text: piece.thinking, thought: true };
  return { functionCall: { id: piece.id, name: piece.tool, args: JSON.parse(piece.argumentsText) } };
}
