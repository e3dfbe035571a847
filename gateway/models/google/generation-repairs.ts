import { isWireObject, type WireObject, type WireRepairs } from '../language-model/wire-format.ts';

/** Repairs of generateContent: errors in a shape of their own. */
export function createGenerationRepairs(): WireRepairs {
  return { event: repairError, isLast: () => false, answer: repairError };
}

function repairError(value: WireObject): WireObject {
  const { error, ...rest } = value;
  if (error === undefined || error === null) return rest;
  const { code, message, status } = isWireObject(error) ? error : { message: String(error) };
  return {
    error: {
      ...(isWireObject(error) ? error : {}),
      code: typeof code === 'number' ? code : null,
      message: typeof message === 'string' ? message : JSON.stringify(error),
      status: typeof status === 'string' ? status : 'UNKNOWN',
    },
  };
}
