import { describe, expect, it } from 'vitest';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { allowing, bodies, callTool, endOf, newSession, playTurn, resultText } from '#test/agent-turn.ts';
import { type ScriptedGateway, startScriptedGateway } from '#test/scripted-gateway.ts';
import { allEvents, historyOf, historyProblems } from '#test/session-history.ts';

const { INTERRUPTED, SUCCESS } = Outcome;

async function checkInterrupted(
  { owner, sessionId }: ScriptedGateway,
  events: readonly Event[],
): Promise<void> {
  expect(endOf(events)?.stopReason).toBe(StopReason.INTERRUPTED);
  expect(bodies(events, 'stopRequested').map(stop => stop.requestedBy)).toEqual(['owner']);
  expect(historyProblems(await historyOf(owner, sessionId))).toEqual([]);
  const calls = bodies(events, 'toolCallStart').map(call => call.callId);
  expect(
    bodies(events, 'toolCallEnd')
      .map(end => end.callId)
      .sort(),
  ).toEqual([...calls].sort());
  const { session } = await owner.sessions.getSession({ sessionId });
  expect(session?.activeReply).toBeUndefined();
  expect(session?.pending).toEqual([]);
}

/** Resolves with the first event that fits, of a session that is watched from its start. */
async function firstEvent(
  { owner, sessionId }: ScriptedGateway,
  fits: (event: Event) => boolean,
): Promise<void> {
  for await (const { message } of owner.sessions.watchSession({ sessionId })) {
    if (message.case === 'event' && fits(message.value)) return;
  }
}

/** Plays the turn in a session of its own and interrupts it when the event of this number is seen. */
async function interruptedAt({ owner }: ScriptedGateway, place: number): Promise<Event[]> {
  const sessionId = await newSession(owner, 'agent');
  let stopped: Promise<unknown> | undefined;
  const turn = playTurn(owner, sessionId);
  for await (const { message } of owner.sessions.watchSession({ sessionId })) {
    if (message.case !== 'event') continue;
    if (Number(message.value.sequence) === place) stopped = owner.sessions.interrupt({ sessionId });
    if (message.value.event.case === 'replyEnd') break;
  }
  await Promise.all([turn, stopped]);
  expect(historyProblems(await historyOf(owner, sessionId)), `at event ${place}`).toEqual([]);
  return allEvents(owner, sessionId);
}

describe('an interrupt', () => {
  it('while the model speaks keeps what it said, runs no call, and the next message works', async () => {
    await using scripted = await startScriptedGateway([], {
      folder: {
        scripts: {
          'turn.yaml': {
            replies: [
              {
                turns: [
                  { text: 'I begin to speak and go on for long.', calls: [{ tool: 'echo' }], delay_ms: 200 },
                ],
              },
              { turns: [{ text: 'Yes?' }] },
            ],
          },
        },
      },
    });
    const { owner, sessionId } = scripted;
    const turn = playTurn(owner, sessionId);
    await firstEvent(scripted, ({ event }) => event.case === 'textBlockDelta');
    const { reply } = await owner.sessions.interrupt({ sessionId, reason: 'enough' });
    expect(reply?.stopReason).toBe(StopReason.INTERRUPTED);
    const events = await turn;
    await checkInterrupted(scripted, events);
    expect(bodies(events, 'stopRequested')[0]?.reason).toBe('enough');
    expect(bodies(events, 'modelCallEnd').map(end => end.finish)).toEqual([ModelFinish.INTERRUPTED]);
    expect(bodies(events, 'textBlockEnd').length).toBe(1);
    expect(scripted.executor.log.entries).toEqual([]);
    const [, answer] = await historyOf(owner, sessionId);
    expect(JSON.stringify(answer?.parts.map(({ part }) => part.case))).toBe('["content"]');
    expect(endOf(await playTurn(owner, sessionId))?.stopReason).toBe(StopReason.COMPLETED);
  });

  it('while tools run cancels each in its executor, begins no further one, and all get a result in order', async () => {
    await using scripted = await startScriptedGateway([
      {
        calls: [
          { tool: 'echo', input: { text: 'quick' } },
          { tool: 'sleep', input: { ms: 60_000 } },
          { tool: 'stubborn', input: { ms: 60_000 } },
          { tool: 'exclusive', input: { ms: 1 } },
        ],
      },
      { text: 'never' },
    ]);
    const { owner, sessionId, executor } = scripted;
    const turn = playTurn(owner, sessionId);
    await Promise.all([
      executor.log.until('ended', 'echo'),
      executor.log.until('started', 'sleep'),
      executor.log.until('started', 'stubborn'),
    ]);
    await owner.sessions.interrupt({ sessionId });
    const events = await turn;
    await checkInterrupted(scripted, events);
    const cancelled = executor.log.entries
      .filter(entry => entry.what === 'cancelled')
      .map(entry => entry.tool);
    expect(cancelled.sort()).toEqual(['sleep', 'stubborn']);
    expect(executor.log.started('exclusive')).toEqual([]);
    const outcomes = new Map(bodies(events, 'toolCallEnd').map(end => [end.callId, end.outcome]));
    const inOrder = bodies(events, 'toolCallStart').map(call => outcomes.get(call.callId));
    expect(inOrder).toEqual([SUCCESS, INTERRUPTED, INTERRUPTED, INTERRUPTED]);
    const last = bodies(events, 'toolResultEnd')
      .map(end => resultText(end.result))
      .at(-1);
    expect(last).toContain('Nothing ran');
  });

  it('while a call waits for an answer ends it, and the answer comes too late', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'append', input: { line: 'x' } }, { tool: 'echo' }] },
      { text: 'never' },
    ]);
    const { owner, sessionId } = scripted;
    const statuses: (ResolveStatus | undefined)[] = [];
    const events = await playTurn(owner, sessionId, {
      onPending: async calls => {
        await owner.sessions.interrupt({ sessionId });
        const { results } = await allowing(owner, sessionId)(calls);
        statuses.push(...results.map(result => result.status));
      },
    });
    await checkInterrupted(scripted, events);
    expect(statuses).toEqual([ResolveStatus.ALREADY_ANSWERED]);
    expect(scripted.executor.log.entries).toEqual([]);
  });

  it('while an executor looks for the facts of a call does not wait for them', async () => {
    const asked = Promise.withResolvers<void>();
    const never = new Promise<void>(() => undefined);
    const beforeInspect = () => {
      asked.resolve();
      return never;
    };
    await using scripted = await startScriptedGateway(
      [{ calls: [{ tool: 'write_file', input: { path: 'x', content: '' } }] }, { text: 'never' }],
      { executor: { beforeInspect } },
    );
    const { owner, sessionId } = scripted;
    const turn = playTurn(owner, sessionId);
    await asked.promise;
    await owner.sessions.interrupt({ sessionId });
    await checkInterrupted(scripted, await turn);
  });

  it('that comes often and at the same time stops once', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'sleep', input: { ms: 60_000 } }] },
    ]);
    const { owner, sessionId, executor } = scripted;
    const turn = playTurn(owner, sessionId);
    await executor.log.until('started', 'sleep');
    const stops = await Promise.all(Array.from({ length: 5 }, () => owner.sessions.interrupt({ sessionId })));
    const events = await turn;
    await checkInterrupted(scripted, events);
    const again = await owner.sessions.interrupt({ sessionId });
    expect(again.reply).toBeUndefined();
    const late = await owner.sessions.interrupt({ sessionId, replyId: endOf(events)?.replyId ?? '' });
    expect(late.reply).toBeUndefined();
    for (const { reply } of stops) expect([StopReason.INTERRUPTED, undefined]).toContain(reply?.stopReason);
  });

  it('at any moment leaves a valid history and one result a call', async () => {
    await using scripted = await startScriptedGateway(
      [
        {
          text: 'a',
          calls: [
            { tool: 'sleep', input: { ms: 3 } },
            { tool: 'exclusive', input: { ms: 3 } },
            { tool: 'write_file', input: { path: 'x', content: '' } },
          ],
        },
        {
          text: 'b',
          calls: [
            { tool: 'sleep', input: { ms: 3 } },
            { tool: 'TodoWrite', input: { todos: [] } },
          ],
        },
        { text: 'c' },
      ],
      { folder: { rules: [{ tool: 'write_file', behavior: 'allow' }] } },
    );
    const stops = new Set<StopReason | undefined>();
    for (const place of Array.from({ length: 32 }, (_, index) => index + 1)) {
      const events = await interruptedAt(scripted, place);
      const calls = bodies(events, 'toolCallStart').map(call => call.callId);
      const ended = bodies(events, 'toolCallEnd').map(end => end.callId);
      expect(ended.sort(), `at event ${place}`).toEqual([...calls].sort());
      expect(bodies(events, 'replyEnd').length).toBe(1);
      stops.add(endOf(events)?.stopReason);
    }
    expect(stops).toContain(StopReason.INTERRUPTED);
  });

  it('of a direct call ends it with a result', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId, executor } = scripted;
    const call = callTool(owner, { sessionId, toolName: 'sleep', argumentsJson: '{"ms":60000}' });
    await executor.log.until('started', 'sleep');
    await owner.sessions.interrupt({ sessionId });
    const events = await call;
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(INTERRUPTED);
    expect(endOf(events)?.stopReason).toBe(StopReason.INTERRUPTED);
  });

  it('of one reply leaves the others of its session alone', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId, executor } = scripted;
    const request = { sessionId, toolName: 'sleep', argumentsJson: '{"ms":60000}' };
    const long = callTool(owner, request);
    await executor.log.until('started', 'sleep');
    const { session } = await owner.sessions.getSession({ sessionId });
    const short = callTool(owner, { ...request, toolName: 'stubborn', argumentsJson: '{"ms":150}' });
    await executor.log.until('started', 'stubborn');
    await owner.sessions.interrupt({ sessionId, replyId: session?.activeReply?.replyId ?? '' });
    expect(bodies(await long, 'toolCallEnd')[0]?.outcome).toBe(INTERRUPTED);
    expect(bodies(await short, 'toolCallEnd')[0]?.outcome).toBe(SUCCESS);
  });
});
