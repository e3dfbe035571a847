import { describe, expect, test } from 'vitest';
import { modelRequest, playModel, textOf, userMessage } from '#test/model-history.ts';
import { askProvider, FIXTURE_KEY, fixtureModel, providerFixtures } from '#test/providers/ask-provider.ts';
import { startWireServer } from '#test/wire-server.ts';

describe.each(providerFixtures)('a server of $name', fixture => {
  const half = fixture.begun('half');

  test.each([
    { status: 401, expected: { reason: 'REFUSED', retryable: false } },
    { status: 404, expected: { reason: 'REFUSED', retryable: false } },
    { status: 429, expected: { reason: 'RATE_LIMITED', retryable: true, retryAfterMs: 7_000 } },
    { status: 500, expected: { reason: 'UNAVAILABLE', retryable: true } },
    { status: 529, expected: { reason: 'UNAVAILABLE', retryable: true } },
  ])('that answers $status is $expected.reason, without the key', async ({ status, expected }) => {
    const body = fixture.errorBody(`no good: ${FIXTURE_KEY}`, 'some_error');
    for (const stream of [true, false]) {
      const { chunks, error } = await askProvider(
        fixture,
        { status, headers: { 'retry-after': '7' }, body },
        {},
        { stream },
      );

      expect(chunks).toEqual([]);
      expect(error).toMatchObject({ name: 'ModelError', ...expected });
      expect(String(error)).toContain(`The model provider "there"`);
      expect(String(error)).toContain(`HTTP ${status}, no good: [key]`);
      expect(error instanceof Error && error.cause).toBeUndefined();
    }
  });

  test('that is overloaded says so in its first event', async () => {
    const { chunks, error } = await askProvider(fixture, { stream: [fixture.overloaded] });

    expect(chunks).toEqual([]);
    expect(error).toMatchObject({ reason: 'UNAVAILABLE', retryable: true });
    expect(String(error)).toMatch(/overloaded/i);
  });

  test('that reports its error with HTTP 200 is understood', async () => {
    for (const stream of [true, false]) {
      const { error } = await askProvider(fixture, { json: fixture.overloaded }, {}, { stream });

      expect(error).toMatchObject({ reason: 'UNAVAILABLE', retryable: true });
      expect(String(error)).toMatch(/overloaded/i);
    }
  });

  test('that sends what is no JSON breaks off after the text that came', async () => {
    const { chunks, error } = await askProvider(fixture, { stream: half, raw: 'data: {"half": [\n\n' });

    expect(textOf(chunks)).toBe('half');
    expect(error).toMatchObject({ reason: 'BROKEN_STREAM', message: expect.stringContaining('no JSON') });
  });

  test('that falls silent is given up, and its connection too', async () => {
    await using server = await startWireServer([{ stream: half, ending: 'hang' }], fixture.encoding);
    const model = fixtureModel(fixture, server.baseUrl, { idleTimeoutMs: 200 });
    const { chunks, error } = await playModel(model, modelRequest([userMessage('go')]));

    expect(textOf(chunks)).toBe('half');
    expect(error).toMatchObject({ reason: 'TIMED_OUT', message: expect.stringContaining('200 ms') });
    await server.clientGone;
  });

  test('that never begins is given up', async () => {
    const { error } = await askProvider(fixture, { ending: 'hang' }, {}, { idleTimeoutMs: 200 });

    expect(error).toMatchObject({ reason: 'TIMED_OUT', retryable: true });
  });

  test('that leaves the connection open after its last event does not hold the answer up', async () => {
    const { stream = [] } = fixture.streamed([{ text: 'hello' }], 'stop');
    const { done } = fixture.encoding;
    const { chunks, error } = await askProvider(
      fixture,
      { stream, raw: done, ending: 'hang' },
      {},
      { idleTimeoutMs: 1_500 },
    );

    expect(error).toBeUndefined();
    expect(textOf(chunks)).toBe('hello');
  });

  test('is let go of when the call is interrupted', async () => {
    await using server = await startWireServer([{ stream: half, ending: 'hang' }], fixture.encoding);
    const abort = new AbortController();
    const stream = fixtureModel(fixture, server.baseUrl).stream(
      modelRequest([userMessage('go')]),
      abort.signal,
    );
    const iterator = stream[Symbol.asyncIterator]();

    expect(await iterator.next()).toEqual({ done: false, value: { kind: 'text', text: 'half' } });
    const reason = new Error('stop');
    abort.abort(reason);
    await expect(iterator.next()).rejects.toBe(reason);
    await server.clientGone;
  });

  test('that answers with a web page is refused', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>hello</html>' };
    const { error } = await askProvider(fixture, page);

    expect(error).toMatchObject({ reason: 'REFUSED', message: expect.stringContaining('baseUrl') });
  });

  test('that sends the request elsewhere is not followed, so that the key stays here', async () => {
    await using elsewhere = await startWireServer(
      [fixture.streamed([{ text: 'hi' }], 'stop')],
      fixture.encoding,
    );
    const headers = { location: `${elsewhere.baseUrl}/chat/completions` };
    const { error } = await askProvider(fixture, { status: 307, headers, body: '' });

    expect(error).toMatchObject({ reason: 'REFUSED', message: expect.stringContaining('HTTP 307') });
    expect(elsewhere.requests).toEqual([]);
  });
});
