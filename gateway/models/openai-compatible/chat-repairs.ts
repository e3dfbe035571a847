import {
  isWireObject,
  type WireObject,
  type WireRepairs,
  wireObject,
  wireObjects,
} from '../language-model/wire-format.ts';
import { CallPieces } from './call-pieces.ts';

/** Repairs of chat completions: what servers other than OpenAI's send, and the AI SDK refuses. */
export function createChatRepairs(): WireRepairs {
  const pieces = new CallPieces();
  return {
    event: value => {
      const error = sentError(value);
      if (error !== undefined) return { error };
      const choices = wireObjects(value['choices']).map(choice => ({
        ...choice,
        // Some servers stream one whole message where a piece of it is expected.
        delta: repairMessage(wireObject(choice['delta'] ?? choice['message']), calls => pieces.repair(calls)),
        finish_reason: choice['finish_reason'] || null,
      }));
      return { ...repairFrame(value), choices };
    },
    isLast: () => false,
    answer: value => {
      const error = sentError(value);
      if (error !== undefined) return { error };
      const choices = wireObjects(value['choices']).map(choice => ({
        ...choice,
        message: repairMessage(wireObject(choice['message']), calls => new CallPieces().repair(calls)),
        finish_reason: choice['finish_reason'] || null,
      }));
      return { ...repairFrame(value), choices };
    },
  };
}

function repairFrame({ error: _, id, created, model, usage, ...rest }: WireObject): WireObject {
  return {
    ...rest,
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof created === 'number' ? { created } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(isWireObject(usage) ? { usage } : {}),
  };
}

function repairMessage(
  message: WireObject,
  repairCalls: (calls: readonly WireObject[]) => WireObject[],
): WireObject {
  const { role, tool_calls, function_call, content, reasoning_content, reasoning, ...rest } = message;
  const calls = repairCalls(toCalls(tool_calls, function_call));
  const thoughts = [reasoning_content, reasoning].find(text => typeof text === 'string' && text !== '');
  return {
    ...rest,
    ...(role === 'assistant' ? { role } : {}),
    ...(typeof content === 'string' || Array.isArray(content) ? { content } : {}),
    ...(thoughts === undefined ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** The calls of a message; one alone may stand without a list, or under the name that OpenAI used at first. */
function toCalls(calls: unknown, oldCall: unknown): WireObject[] {
  if (isWireObject(calls)) return [calls];
  if (Array.isArray(calls)) return wireObjects(calls);
  return isWireObject(oldCall) ? [{ index: 0, function: oldCall }] : [];
}

/** What a server says went wrong, in the shape that OpenAI gives to errors; undefined for anything else. */
function sentError(value: WireObject): WireObject | undefined {
  const { error, detail } = value;
  if (isWireObject(error)) {
    const { message: text } = error;
    return { ...error, message: typeof text === 'string' ? text : JSON.stringify(error) };
  }
  if (error !== undefined && error !== null && error !== false) return { message: String(error) };
  if (Array.isArray(value['choices'])) return undefined;
  return bareError(value) ?? (detail === undefined ? undefined : { message: JSON.stringify(detail) });
}

/** An error that is the whole object. */
function bareError({ object, message, code, type }: WireObject): WireObject | undefined {
  const isError = object === 'error' || (typeof message === 'string' && (code ?? type) !== undefined);
  if (!isError) return undefined;
  return { message: String(message), code: code ?? null, type: typeof type === 'string' ? type : null };
}
