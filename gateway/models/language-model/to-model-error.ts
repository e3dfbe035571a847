import { APICallError, TypeValidationError } from '@ai-sdk/provider';
import { z } from 'zod';
import { ModelError, type ModelErrorReason } from '../model.ts';
import { retryAfterMs, retryDelayMs } from './retry-after.ts';

const MAX_MESSAGE_CHARACTERS = 500;
/** A shorter secret is none, and replacing it would garble the message. */
const MIN_SECRET_CHARACTERS = 4;

/**
 * Whatever the AI SDK or fetch threw, as a ModelError without the secrets. The original is not kept as a cause:
 * it holds the whole request.
 */
export function toModelError(
  error: unknown,
  options: { readonly providerName: string; readonly secrets: readonly string[]; readonly nowMs: number },
): ModelError {
  const { providerName, secrets, nowMs } = options;
  if (error instanceof ModelError) {
    const { reason, retryable } = error;
    const message = clean(error.message, secrets).replace(
      'The model provider ',
      `The model provider "${providerName}" `,
    );
    return new ModelError({ reason, retryable, message, retryAfterMs: error.retryAfterMs });
  }
  const { reason, retryable, message } = classify(error);
  const text = clean(message, secrets);
  return new ModelError({
    reason,
    ...(retryable === undefined ? {} : { retryable }),
    message: `The model provider "${providerName}" ${OPENINGS[reason]}${text === '' ? '.' : `: ${text}`}`,
    retryAfterMs: APICallError.isInstance(error) ? askedWaitMs(error, nowMs) : undefined,
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
      message: `not what the format demands: ${JSON.stringify(error.value)}`,
    };
  }
  const sent = sentErrorSchema.safeParse(error);
  if (!(error instanceof Error) && sent.success) {
    const { statusCode, code, type, message = '' } = sent.data;
    return { ...reasonOfCode(statusCode ?? code ?? type), message };
  }
  return { reason: 'BROKEN_STREAM', message: error instanceof Error ? error.message : '' };
}

const sentErrorSchema = z.looseObject({
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  statusCode: z.number().optional(),
});

function classifyCall(error: APICallError): Classified {
  const { statusCode } = error;
  if (statusCode === undefined) {
    return { reason: 'UNREACHABLE', message: error.message };
  }
  if (statusCode < 300) {
    return { reason: 'BROKEN_STREAM', message: error.message };
  }
  const sent = z.looseObject({ error: sentErrorSchema }).safeParse(error.data);
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
  if (Number(code) === 429 || /rate_?limit|throttling|resource_exhausted/i.test(String(code))) {
    return { reason: 'RATE_LIMITED' };
  }
  const isServerFault =
    Number(code) >= 500 || [408, 409].includes(Number(code)) || /overloaded|unavailable/i.test(String(code));
  return { reason: isServerFault ? 'UNAVAILABLE' : otherwise };
}

function askedWaitMs(error: APICallError, nowMs: number): number | undefined {
  return retryAfterMs(error.responseHeaders ?? {}, nowMs) ?? retryDelayMs(error.data);
}

function clean(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_CHARACTERS) text = text.replaceAll(secret, '[key]');
  }
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_MESSAGE_CHARACTERS ? `${line.slice(0, MAX_MESSAGE_CHARACTERS)}…` : line;
}
