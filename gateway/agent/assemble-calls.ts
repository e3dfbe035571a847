import type { ToolCallChunk } from '#gateway/models/model.ts';

/** A call as the model wrote it. */
export interface AssembledCall {
  readonly providerCallId: string;
  readonly name: string;
  /** Need not be valid JSON. */
  readonly argumentsText: string;
  readonly providerMetadataJson: string;
}

interface OpenCall {
  providerCallId: string;
  index: number;
  name: string;
  argumentsText: string;
  providerMetadataJson: string;
}

/**
 * Puts the pieces of tool calls together. A piece belongs to the call of the same non-empty id, else to the one of the
 * same index, else to the current one. Providers reuse ids, leave ids or indexes out, or give every call the index 0,
 * so two ids at one index are two calls, and so are two indexes with one id.
 */
export class CallAssembler {
  readonly #calls: OpenCall[] = [];

  /** Takes the next piece. */
  add(piece: ToolCallChunk): void {
    const call = this.#owner(piece) ?? this.#open(piece);
    if (call.name === '') call.name = piece.name;
    if (call.providerCallId === '') call.providerCallId = piece.providerCallId;
    call.argumentsText += piece.argumentsDelta;
    if (piece.providerMetadataJson !== undefined) call.providerMetadataJson = piece.providerMetadataJson;
  }

  /** The calls, in the order in which they began. */
  calls(): AssembledCall[] {
    return this.#calls.map(({ index: _, ...call }) => call);
  }

  #owner(piece: ToolCallChunk): OpenCall | undefined {
    const candidate = this.#candidate(piece);
    return candidate !== undefined && beginsAnother(candidate, piece) ? undefined : candidate;
  }

  #candidate(piece: ToolCallChunk): OpenCall | undefined {
    if (piece.providerCallId !== '') {
      return this.#calls.findLast(
        call =>
          (call.providerCallId === piece.providerCallId && sameIndex(call, piece)) ||
          (call.providerCallId === '' && piece.index >= 0 && call.index === piece.index),
      );
    }
    return piece.index >= 0 ? this.#calls.findLast(call => call.index === piece.index) : this.#calls.at(-1);
  }

  #open(piece: ToolCallChunk): OpenCall {
    const call: OpenCall = {
      providerCallId: piece.providerCallId,
      index: piece.index,
      name: piece.name,
      argumentsText: '',
      providerMetadataJson: '',
    };
    this.#calls.push(call);
    return call;
  }
}

function sameIndex(call: OpenCall, piece: ToolCallChunk): boolean {
  return call.index === piece.index || call.index < 0 || piece.index < 0;
}

/**
 * A piece that names a tool, while the call it would go to is complete, begins a call of its own. Some providers name
 * the tool in every piece, so where id or index tell calls apart, an empty piece of the same name is no new call.
 */
function beginsAnother(call: OpenCall, piece: ToolCallChunk): boolean {
  if (piece.name === '' || call.name === '' || !isCompleteJson(call.argumentsText)) return false;
  const isUnmarked = piece.providerCallId === '' && piece.index < 0;
  return isUnmarked || piece.name !== call.name || piece.argumentsDelta !== '';
}

function isCompleteJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
