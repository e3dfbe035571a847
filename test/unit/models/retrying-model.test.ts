import { expect, test } from 'vitest';
import { type Model, type ModelChunk, ModelError } from '#gateway/models/model.ts';
import { createRetryingModel, type Sleep } from '#gateway/models/retrying-model.ts';
import { createLogger } from '#kit/logger.ts';
import { modelRequest, playModel, textOf, userMessage } from '#test/model-history.ts';

const text = (words: string): ModelChunk => ({ kind: 'text', text: words });
const limited = (retryAfterMs?: number) =>
  new ModelError({ reason: 'RATE_LIMITED', message: 'slow', retryAfterMs });

/** Plays one list a stream: chunks are yielded, an error is thrown. */
function modelOf(...streams: (ModelChunk | Error)[][]): Model & { readonly asked: () => number } {
  let asked = 0;
  return {
    name: 'test',
    asked: () => asked,
    async *stream() {
      asked += 1;
      for (const item of streams[asked - 1] ?? []) {
        if (item instanceof Error) {
          throw item;
        }
        yield item;
      }
    },
  };
}

async function play(model: Model, attempts = 3, signal?: AbortSignal, sleep?: Sleep) {
  const waits: number[] = [];
  const retrying = createRetryingModel({
    model,
    attempts,
    logger: createLogger({ name: 'test', level: 'silent' }),
    random: () => 0,
    sleep:
      sleep ??
      (async delayMs => {
        waits.push(delayMs);
      }),
  });
  return { ...(await playModel(retrying, modelRequest([userMessage('go')]), signal)), waits };
}

test('an answer after two errors that may pass comes after waits of 2 and 4 seconds', async () => {
  const { chunks, error, waits } = await play(modelOf([limited()], [limited()], [text('hi')]));

  expect(error).toBeUndefined();
  expect(textOf(chunks)).toBe('hi');
  expect(waits).toEqual([2_000, 4_000]);
});

test('the last error is thrown when all attempts failed', async () => {
  const last = limited();
  const { error, waits } = await play(modelOf([limited()], [limited()], [last]));

  expect(error).toBe(last);
  expect(waits).toHaveLength(2);
});

test('waits double up to 30 seconds', async () => {
  const { waits } = await play(modelOf(...Array.from({ length: 7 }, () => [limited()])), 7);

  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('the wait a provider asks for replaces the own one', async () => {
  const { waits } = await play(modelOf([limited(0)], [limited(45_000)], [text('hi')]));

  expect(waits).toEqual([0, 45_000]);
});

test('a provider that asks for more than two minutes is not waited for', async () => {
  const model = modelOf([limited(3_600_000)], [text('hi')]);
  const { error } = await play(model);

  expect(error).toMatchObject({ reason: 'RATE_LIMITED', retryAfterMs: 3_600_000 });
  expect(model.asked()).toBe(1);
});

test('an error after the first piece of the answer is not tried again', async () => {
  const model = modelOf(
    [text('half'), new ModelError({ reason: 'BROKEN_STREAM', message: 'cut' })],
    [text('hi')],
  );
  const { chunks, error } = await play(model);

  expect(textOf(chunks)).toBe('half');
  expect(error).toMatchObject({ reason: 'BROKEN_STREAM' });
  expect(model.asked()).toBe(1);
});

test.each(['REFUSED', 'NOT_CONFIGURED'] as const)('the error %s is not tried again', async reason => {
  const model = modelOf([new ModelError({ reason, message: 'no' })], [text('hi')]);
  const { error } = await play(model);

  expect(error).toMatchObject({ reason });
  expect(model.asked()).toBe(1);
});

test('an error that is no model error passes unchanged', async () => {
  const bug = new TypeError('bug');
  const { error } = await play(modelOf([bug], [text('hi')]));

  expect(error).toBe(bug);
});

test('an abort during a wait ends the call with the reason of the signal', async () => {
  const abort = new AbortController();
  const reason = new Error('stop');
  const model = modelOf([limited()], [text('hi')]);
  const { error } = await play(model, 3, abort.signal, async (_delayMs, signal) => {
    abort.abort(reason);
    signal.throwIfAborted();
  });

  expect(error).toBe(reason);
  expect(model.asked()).toBe(1);
});
