import {
  isWireObject,
  type WireObject,
  type WireRepairs,
  wireObject,
  wireObjects,
} from '../language-model/wire-format.ts';

/** Repairs of generateContent: what the gateway has no use for cannot make an answer unreadable. */
export function createGenerationRepairs(): WireRepairs {
  return { event: repairAnswer, isLast: () => false, answer: repairAnswer };
}

function repairAnswer(value: WireObject): WireObject {
  const { error, candidates, ...rest } = value;
  if (error !== undefined && error !== null) return { error: repairError(error) };
  return {
    ...rest,
    ...(Array.isArray(candidates) ? { candidates: wireObjects(candidates).map(repairCandidate) } : {}),
  };
}

function repairCandidate({ content, finishReason, finishMessage, index }: WireObject): WireObject {
  const parts = wireObjects(wireObject(content)['parts']);
  return {
    index,
    finishReason,
    finishMessage,
    content: { role: 'model', parts: parts.filter(part => 'text' in part || 'functionCall' in part) },
  };
}

function repairError(error: unknown): WireObject {
  const { code, message, status, ...rest } = wireObject(error);
  const text = isWireObject(error) ? JSON.stringify(error) : String(error);
  return {
    ...rest,
    code: typeof code === 'number' ? code : null,
    message: typeof message === 'string' ? message : text,
    status: typeof status === 'string' ? status : 'UNKNOWN',
  };
}
