import type { WireFormat } from '#gateway/models/language-model/wire-format.ts';
import type { ProviderType } from '#gateway/models/provider-config.ts';
import type { WireEncoding, WireReply } from '#test/wire-server.ts';

/** A piece of what a model says in a test. */
export type SaidPiece =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature: string }
  | { readonly id: string; readonly tool: string; readonly argumentsText: string };

/** Why the model stops in a test. */
export type SaidFinish = 'stop' | 'calls' | 'length' | 'filtered';

/** How one wire format says what the tests say; an answer used 21 tokens, 8 of them cached, and made 4. */
export interface ProviderFixture {
  readonly name: string;
  readonly type: ProviderType;
  readonly format: WireFormat;
  readonly encoding: WireEncoding;
  /** The header that carries the key, and how. */
  readonly keyHeader: { readonly name: string; readonly value: (key: string) => string };
  /** The answer as events, every text and every argument in two pieces. */
  streamed(pieces: readonly SaidPiece[], finish: SaidFinish): WireReply;
  /** The same as one JSON object. */
  whole(pieces: readonly SaidPiece[], finish: SaidFinish): WireReply;
  /** Events of an answer that has said this text and is not at its end. */
  begun(text: string): readonly object[];
  /** Events of an answer that is in the middle of a call. */
  cutInArguments(call: { readonly tool: string; readonly half: string }): readonly object[];
  /** Body of a refused request. */
  errorBody(message: string, type: string): string;
  /** An event that says the server is overloaded. */
  readonly overloaded: object;
  /** Every file in a request, as media type and base64. */
  filesIn(body: unknown): string[];
}

/** A text in two halves. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(half => half !== '');
}
