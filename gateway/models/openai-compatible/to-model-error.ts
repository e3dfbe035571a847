import { APICallError, TypeValidationError } from '@ai-sdk/provider';
import { z } from 'zod';
import { ModelError, type ModelErrorReason } from '../model.ts';
import { retryAfterMs } from './retry-after.ts';

const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Whatever the AI SDK or fetch threw, as a ModelError without the key. The original is not kept as a cause: it
 * holds the whole request.
 */
export function toModelError(
  error: unknown,
  options: { readonly providerName: string; readonly apiKey: string | undefined; readonly nowMs: number },
): ModelError {
  if (error instanceof ModelError) {
    return error;
  }
  const { providerName, apiKey, nowMs } = options;
  const { reason, retryable, message } = classify(error);
  const text = clean(message, apiKey);
  return new ModelError({
    reason,
    ...(retryable === undefined ? {} : { retryable }),
    message: `The model provider "${providerName}" ${OPENINGS[reason]}${text === '' ? '.' : `: ${text}`}`,
    retryAfterMs: APICallError.isInstance(error)
      ? retryAfterMs(error.responseHeaders ?? {}, nowMs)
      : undefined,
  });
}

const OPENINGS: Readonly<Record<ModelErrorReason, string>> = {
  UNREACHABLE: 'cannot be reached',
  REFUSED: 'refused the request',
  RATE_LIMITED: 'takes no more requests for now',
  UNAVAILABLE: 'is not available',
  TIMED_OUT: 'took too long',
  BROKEN_STREAM: 'broke off its answer',
  NOT_CONFIGURED: 'is not configured',
  BAD_SCRIPT: 'plays no script',
};

interface Classified {
  readonly reason: ModelErrorReason;
  readonly message: string;
  readonly retryable?: boolean;
}

function classify(error: unknown): Classified {
  if (APICallError.isInstance(error)) {
    return classifyCall(error);
  }
  if (TypeValidationError.isInstance(error)) {
    // Its own message is the whole report of the validation, which nobody reads.
    return {
      reason: 'BROKEN_STREAM',
      message: `no chunk of a chat completion: ${JSON.stringify(error.value)}`,
    };
  }
  const sent = errorChunkSchema.safeParse(error);
  if (!(error instanceof Error) && sent.success) {
    const { code, type, message = '' } = sent.data;
    return { ...reasonOfCode(code ?? type), message };
  }
  return { reason: 'BROKEN_STREAM', message: error instanceof Error ? error.message : '' };
}

const errorChunkSchema = z.looseObject({
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});

function classifyCall(error: APICallError): Classified {
  const { statusCode } = error;
  if (statusCode === undefined) {
    return { reason: 'UNREACHABLE', message: error.message };
  }
  if (statusCode < 300) {
    return { reason: 'BROKEN_STREAM', message: error.message };
  }
  const sent = z.looseObject({ error: errorChunkSchema }).safeParse(error.data);
  const said = sent.success ? error.message : (error.responseBody ?? '').trim() || error.message;
  const message = `HTTP ${statusCode}${said === '' ? '' : `, ${said}`}`;
  if (sent.success && sent.data.error.code === 'insufficient_quota') {
    return { reason: 'RATE_LIMITED', retryable: false, message };
  }
  return { ...reasonOfCode(statusCode, 'REFUSED'), message };
}

function reasonOfCode(
  code: string | number | null | undefined,
  otherwise: ModelErrorReason = 'BROKEN_STREAM',
): { reason: ModelErrorReason } {
  if (code === 429 || /rate_?limit/i.test(String(code))) {
    return { reason: 'RATE_LIMITED' };
  }
  const isServerFault =
    Number(code) >= 500 || code === 408 || code === 409 || /overloaded/i.test(String(code));
  return { reason: isServerFault ? 'UNAVAILABLE' : otherwise };
}

function clean(message: string, apiKey: string | undefined): string {
  const text = apiKey === undefined ? message : message.replaceAll(apiKey, '[key]');
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_MESSAGE_CHARACTERS ? `${line.slice(0, MAX_MESSAGE_CHARACTERS)}…` : line;
}
