import {
  isWireObject,
  type WireObject,
  type WireRepairs,
  wireObject,
  wireObjects,
} from '../language-model/wire-format.ts';

const EVENTS = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);
const DELTAS = new Set(['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta']);

/** Repairs of Anthropic's messages: events nobody asked for, and what other servers of the format leave out. */
export function createMessageRepairs(): WireRepairs {
  return { event: repairEvent, isLast: ({ type }) => type === 'message_stop', answer: repairAnswer };
}

function repairEvent(value: WireObject): WireObject | undefined {
  const { type, error } = value;
  if (type === 'error' || (error !== undefined && error !== null)) return errorEvent(error);
  if (typeof type !== 'string' || !EVENTS.has(type)) return undefined;
  switch (type) {
    case 'message_start': {
      const message = wireObject(value['message']);
      const usage = { ...wireObject(message['usage']) };
      return {
        type,
        message: { ...message, content: [], usage: { ...usage, input_tokens: count(usage['input_tokens']) } },
      };
    }
    case 'content_block_start':
      return { ...value, content_block: repairBlock(wireObject(value['content_block'])) };
    case 'content_block_delta':
      return repairDelta(value);
    case 'message_delta': {
      const usage = wireObject(value['usage']);
      const delta = wireObject(value['delta']);
      return { ...value, delta, usage: { ...usage, output_tokens: count(usage['output_tokens']) } };
    }
    default:
      return value;
  }
}

function errorEvent(error: unknown): WireObject {
  const { type, message, ...rest } = wireObject(error);
  const text = typeof message === 'string' ? message : JSON.stringify(error ?? null);
  return {
    type: 'error',
    error: { ...rest, type: typeof type === 'string' ? type : 'api_error', message: text },
  };
}

/** A block of an unknown kind becomes an empty text, since its number must stay taken. */
function repairBlock(block: WireObject): WireObject {
  switch (block['type']) {
    case 'text':
      return { ...block, text: block['text'] ?? '' };
    case 'thinking':
      return { ...block, thinking: block['thinking'] ?? '' };
    case 'redacted_thinking':
      return block;
    case 'tool_use':
      return { ...block, input: toInput(block['input']) };
    default:
      return { type: 'text', text: '' };
  }
}

function repairDelta(value: WireObject): WireObject | undefined {
  const delta = wireObject(value['delta']);
  if (!DELTAS.has(String(delta['type']))) return undefined;
  const { partial_json: json } = delta;
  if (!isWireObject(json)) return value;
  return { ...value, delta: { ...delta, partial_json: JSON.stringify(json) } };
}

function repairAnswer(value: WireObject): WireObject {
  const { error } = value;
  if (value['type'] === 'error' || (error !== undefined && error !== null)) return errorEvent(error);
  const usage = wireObject(value['usage']);
  return {
    ...value,
    type: 'message',
    content: wireObjects(value['content']).map(repairBlock),
    usage: {
      ...usage,
      input_tokens: count(usage['input_tokens']),
      output_tokens: count(usage['output_tokens']),
    },
  };
}

function toInput(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent ?? {};
  try {
    return JSON.parse(sent);
  } catch {
    return {};
  }
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
