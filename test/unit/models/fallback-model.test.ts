import { expect, test } from 'vitest';
import { createFallbackModel } from '#gateway/models/fallback-model.ts';
import { type Model, type ModelChunk, ModelError } from '#gateway/models/model.ts';
import { createLogger } from '#kit/logger.ts';
import { modelRequest, playModel, textOf, userMessage } from '#test/model-history.ts';

const text = (words: string): ModelChunk => ({ kind: 'text', text: words });
const refused = (message: string) => new ModelError({ reason: 'REFUSED', message });

function modelOf(name: string, ...items: (ModelChunk | Error)[]): Model {
  return {
    name,
    async *stream() {
      for (const item of items) {
        if (item instanceof Error) throw item;
        yield item;
      }
    },
  };
}

function play(...models: Model[]) {
  const model = createFallbackModel({ models, logger: createLogger({ name: 'test', level: 'silent' }) });
  return playModel(model, modelRequest([userMessage('go')]));
}

test('the next model is asked when the first failed before it said anything', async () => {
  const { chunks, error } = await play(
    modelOf('a', refused('no key')),
    modelOf('b', text('hi')),
    modelOf('c', text('never')),
  );

  expect(error).toBeUndefined();
  expect(textOf(chunks)).toBe('hi');
});

test('the next model is not asked when the first failed in the middle', async () => {
  const broken = new ModelError({ reason: 'BROKEN_STREAM', message: 'cut' });
  const { chunks, error } = await play(modelOf('a', text('half'), broken), modelOf('b', text('hi')));

  expect(textOf(chunks)).toBe('half');
  expect(error).toBe(broken);
});

test('when all fail, the error says what each of them said', async () => {
  const { error } = await play(modelOf('a', refused('A said no.')), modelOf('b', refused('B said no.')));

  expect(error).toMatchObject({ reason: 'REFUSED', message: 'A said no. Then: B said no.' });
});

test('a bug is no reason to ask another model', async () => {
  const bug = new TypeError('bug');
  const { error } = await play(modelOf('a', bug), modelOf('b', text('hi')));

  expect(error).toBe(bug);
});
