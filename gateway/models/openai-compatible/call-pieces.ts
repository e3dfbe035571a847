import { isWireObject, type WireObject, wireObject } from '../language-model/wire-format.ts';

interface LastCall {
  readonly id: string | undefined;
  readonly index: number | undefined;
  readonly name: string | undefined;
  readonly argumentsText: string;
}

/** An index that no server counts to, for calls that come without id and index. */
const FIRST_OWN_INDEX = 100_000;

/**
 * Repairs the pieces of tool calls. One without id and index belongs to the current call, unless it names a tool
 * after the current call is complete: then it begins another.
 */
export class CallPieces {
  #last: LastCall | undefined;
  #ownIndexes = 0;

  repair(pieces: readonly WireObject[]): WireObject[] {
    return pieces.flatMap(piece => {
      const repaired = this.#label(repairShape(piece));
      return repaired === undefined ? [] : [repaired];
    });
  }

  #label(piece: RepairedPiece): WireObject | undefined {
    const { id, index, function: call } = piece;
    if (id === undefined && index === undefined) return this.#labelUnmarked(piece);
    const before = this.#last;
    const isSame = before !== undefined && (id ?? before.id) === before.id && index === before.index;
    const last = isSame ? before : undefined;
    this.#last = {
      id: id ?? last?.id,
      index,
      name: call.name ?? last?.name,
      argumentsText: (last?.argumentsText ?? '') + call.arguments,
    };
    // The AI SDK refuses a call that begins without a name and without an index.
    const saysNothing = call.name === undefined && call.arguments === '';
    return saysNothing && index === undefined ? undefined : piece;
  }

  #labelUnmarked(piece: RepairedPiece): WireObject | undefined {
    const { name, arguments: text } = piece.function;
    const last = this.#last;
    if (last !== undefined && (name === undefined || continues(last, name, text))) {
      this.#last = { ...last, name: last.name ?? name, argumentsText: last.argumentsText + text };
      const labels = { ...(last.id === undefined ? {} : { id: last.id }), ...withIndex(last.index) };
      return { ...piece, ...labels };
    }
    if (name === undefined) return text === '' ? undefined : piece;
    const index = FIRST_OWN_INDEX + this.#ownIndexes;
    this.#ownIndexes += 1;
    this.#last = { id: undefined, index, name, argumentsText: text };
    return { ...piece, index };
  }
}

interface RepairedPiece extends WireObject {
  readonly id?: string;
  readonly index?: number;
  readonly function: { readonly name?: string; readonly arguments: string };
}

function repairShape(piece: WireObject): RepairedPiece {
  const { id, index, function: sent, extra_content, type: _, ...rest } = piece;
  // Some servers leave the inner object out and say everything beside the id.
  const call = isWireObject(sent) ? sent : rest;
  const number = index === null || index === '' ? Number.NaN : Number(index);
  const text = typeof id === 'number' ? String(id) : id;
  const name = call['name'];
  return {
    type: 'function',
    ...(typeof text === 'string' && text.trim() !== '' ? { id: text } : {}),
    ...withIndex(Number.isInteger(number) && number >= 0 ? number : undefined),
    ...(isWireObject(extra_content) ? { extra_content: repairExtra(extra_content) } : {}),
    function: {
      ...(typeof name === 'string' && name.trim() !== '' ? { name } : {}),
      arguments: argumentsText(call['arguments']),
    },
  };
}

function withIndex(index: number | undefined): { index?: number } {
  return index === undefined ? {} : { index };
}

function argumentsText(sent: unknown): string {
  if (typeof sent === 'string') return sent;
  return sent === undefined || sent === null ? '' : JSON.stringify(sent);
}

function repairExtra(extra: WireObject): WireObject {
  const { thought_signature: signature } = wireObject(extra['google']);
  return typeof signature === 'string' ? { google: { thought_signature: signature } } : {};
}

/** Some servers name the tool in each piece; a call that is not complete goes on, unless JSON begins anew. */
function continues(last: LastCall, name: string, text: string): boolean {
  if (last.name === undefined) return true;
  if (last.name !== name || isCompleteJson(last.argumentsText)) return false;
  return last.argumentsText === '' ? text !== '' : !text.trimStart().startsWith('{');
}

function isCompleteJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
