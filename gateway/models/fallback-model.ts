import type { Logger } from '#kit/logger.ts';
import { type Model, type ModelChunk, ModelError, type ModelRequest } from './model.ts';

/** Asks the models in order; the next one only when the one before failed before its first chunk. */
export function createFallbackModel(options: {
  /** At least one. */
  readonly models: readonly Model[];
  readonly logger: Logger;
}): Model {
  const { models, logger } = options;
  return {
    name: models.map(model => model.name).join(', then '),
    async *stream(request, signal) {
      const failures: ModelError[] = [];
      for (const model of models) {
        const failure = yield* tryModel(model, request, signal);
        if (failure === undefined) return;
        failures.push(failure);
        const { reason, message } = failure;
        logger.warn({ model: model.name, session: request.sessionId, reason, message }, 'model failed');
      }
      throw summary(failures);
    },
  };
}

async function* tryModel(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, ModelError | undefined> {
  let hasBegun = false;
  try {
    for await (const chunk of model.stream(request, signal)) {
      hasBegun = true;
      yield chunk;
    }
    return undefined;
  } catch (error) {
    if (hasBegun || !(error instanceof ModelError)) throw error;
    return error;
  }
}

function summary(failures: readonly ModelError[]): ModelError {
  const last = failures.at(-1);
  const message = failures.map(failure => failure.message).join(' Then: ');
  return new ModelError({
    reason: last?.reason ?? 'UNAVAILABLE',
    retryable: last?.retryable ?? false,
    message,
  });
}
