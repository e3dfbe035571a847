import { describe, expect, test } from 'vitest';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { bodies, endOf, playTurn } from '#test/agent-turn.ts';
import { anthropicFixture } from '#test/providers/anthropic-fixture.ts';
import { providerFixtures } from '#test/providers/ask-provider.ts';
import type { SaidPiece } from '#test/providers/provider-fixture.ts';
import { startProviderGateway } from '#test/providers/provider-gateway.ts';
import { historyOf, historyProblems } from '#test/session-history.ts';

describe.each(providerFixtures)('a turn with a model of $name', fixture => {
  const done = fixture.streamed([{ text: 'done' }], 'stop');

  test('runs two calls and shows both results', async () => {
    const calls: SaidPiece[] = ['one', 'two'].map((text, index) => ({
      id: `c_${index}`,
      tool: 'echo',
      argumentsText: JSON.stringify({ text }),
    }));
    await using scripted = await startProviderGateway(fixture, [fixture.streamed(calls, 'calls'), done]);
    const events = await playTurn(scripted.owner, scripted.sessionId);

    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(scripted.executor.log.started('echo').map(entry => JSON.parse(entry.argumentsJson))).toEqual([
      { text: 'one' },
      { text: 'two' },
    ]);
    expect(endOf(events)?.usage).toMatchObject({ inputTokens: 42n, outputTokens: 8n });
    const sent = JSON.stringify(scripted.model.requests[1]?.body);
    expect(sent.indexOf('one')).toBeLessThan(sent.lastIndexOf('two'));
  });

  test('that is cut in the middle of a call runs nothing, and the next message is answered', async () => {
    const stream = fixture.cutInArguments({ tool: 'append', half: '{"line":"' });
    await using scripted = await startProviderGateway(fixture, [{ stream, ending: 'cut' }, done]);
    const { owner, sessionId, executor } = scripted;
    const events = await playTurn(owner, sessionId);

    expect(endOf(events)?.stopReason).toBe(StopReason.ERROR);
    expect(bodies(events, 'modelCallEnd')[0]).toMatchObject({ finish: ModelFinish.ERROR });
    expect(bodies(events, 'toolCallStart')).toEqual([]);
    expect(endOf(await playTurn(owner, sessionId))?.stopReason).toBe(StopReason.COMPLETED);
    expect(executor.log.entries).toEqual([]);
    expect(historyProblems(await historyOf(owner, sessionId))).toEqual([]);
  });

  test('is stopped while the model is slow', async () => {
    const stream = fixture.begun('half');
    await using scripted = await startProviderGateway(fixture, [{ stream, ending: 'hang' }, done]);
    const { owner, sessionId } = scripted;
    const turn = playTurn(owner, sessionId);
    for await (const { message } of owner.sessions.watchSession({ sessionId })) {
      if (message.case === 'event' && message.value.event.case === 'textBlockDelta') break;
    }
    await owner.sessions.interrupt({ sessionId });

    expect(endOf(await turn)?.stopReason).toBe(StopReason.INTERRUPTED);
    await scripted.model.clientGone;
    expect(endOf(await playTurn(owner, sessionId))?.stopReason).toBe(StopReason.COMPLETED);
    expect(JSON.stringify(scripted.model.requests[1]?.body)).toContain('half');
  });

  test('goes to the next model when the first cannot be reached', async () => {
    await using scripted = await startProviderGateway(fixture, [done], 'nowhere:big, then there:tiny');
    const events = await playTurn(scripted.owner, scripted.sessionId);

    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(scripted.model.requests).toHaveLength(1);
    expect(scripted.gateway.logLines.join('')).toContain('"reason":"UNREACHABLE"');
  });
});

test('signed thoughts survive in the store and go back with the results', async () => {
  const turn: SaidPiece[] = [
    { thinking: 'first', signature: 'c2lnMQ==' },
    { thinking: 'second', signature: 'c2lnMg==' },
    { id: 'c_1', tool: 'echo', argumentsText: '{"text":"x"}' },
  ];
  await using scripted = await startProviderGateway(anthropicFixture, [
    anthropicFixture.streamed(turn, 'calls'),
    anthropicFixture.streamed([{ text: 'done' }], 'stop'),
  ]);
  const events = await playTurn(scripted.owner, scripted.sessionId);

  expect(bodies(events, 'thinkingBlockStart')).toHaveLength(2);
  expect(scripted.model.requests[1]?.body).toMatchObject({
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'first', signature: 'c2lnMQ==' },
          { type: 'thinking', thinking: 'second', signature: 'c2lnMg==' },
          { type: 'tool_use', id: 'c_1' },
        ],
      },
      { role: 'user' },
    ],
  });
});
