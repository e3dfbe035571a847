import { describe, expect, it } from 'vitest';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { bodies, endOf, playTurn, resultText } from '#test/agent-turn.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';
import { historyOf, resultsOf } from '#test/session-history.ts';

function outcomes(events: Awaited<ReturnType<typeof playTurn>>): Outcome[] {
  return bodies(events, 'toolCallEnd').map(end => end.outcome);
}

describe('calls of one answer', () => {
  it('that are safe together run together, and their results come in call order', async () => {
    await using scripted = await startScriptedGateway([
      {
        calls: [500, 400, 300].map(ms => ({ tool: 'sleep', input: { ms } })),
      },
      { text: 'Done.' },
    ]);
    const { owner, sessionId, executor } = scripted;
    await playTurn(owner, sessionId);
    const ended = executor.log.entries.findIndex(entry => entry.what === 'ended');
    expect(executor.log.entries.slice(0, ended).map(entry => entry.what)).toEqual([
      'started',
      'started',
      'started',
    ]);
    const results = resultsOf(await historyOf(owner, sessionId)).map(resultText);
    expect(results).toEqual(['slept 500 ms', 'slept 400 ms', 'slept 300 ms']);
  });

  it('that are not safe together run alone, in call order', async () => {
    await using scripted = await startScriptedGateway([
      {
        calls: [
          { tool: 'sleep', input: { ms: 60 } },
          { tool: 'exclusive', input: { ms: 40 } },
          { tool: 'sleep', input: { ms: 20 } },
          { tool: 'exclusive', input: { ms: 10 } },
        ],
      },
      { text: 'Done.' },
    ]);
    const { owner, sessionId, executor } = scripted;
    await playTurn(owner, sessionId);
    expect(executor.log.entries.map(({ what, tool }) => `${tool} ${what}`)).toEqual(
      ['sleep', 'exclusive', 'sleep', 'exclusive'].flatMap(tool => [`${tool} started`, `${tool} ended`]),
    );
  });

  it('that fail are told to the model beside those that do not', async () => {
    await using scripted = await startScriptedGateway([
      {
        calls: [
          { tool: 'fail', id: 'f' },
          { tool: 'echo', id: 'e' },
        ],
      },
      { expect: { outcomes: { f: 'ERROR', e: 'SUCCESS' }, results_contain: 'it went wrong' }, text: 'Done.' },
    ]);
    const events = await playTurn(scripted.owner, scripted.sessionId);
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
  });

  it('wait for all to be decided: none runs while one asks', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'echo' }, { tool: 'count' }] },
      { text: 'Done.' },
    ]);
    const { owner, sessionId, executor } = scripted;
    let ranBefore = -1;
    await playTurn(owner, sessionId, {
      onPending: async calls => {
        ranBefore = executor.log.entries.length;
        const answers = calls.map(({ callId }) => ({
          callId,
          answer: { case: 'allow' as const, value: {} },
        }));
        await owner.sessions.resolve({ sessionId, answers });
      },
    });
    expect(ranBefore).toBe(0);
    expect(executor.log.entries.filter(entry => entry.what === 'started').length).toBe(2);
  });
});

describe('TodoWrite', () => {
  it('runs in the gateway and tells of the new list', async () => {
    const todos = [{ content: 'Test it', status: 'in_progress', activeForm: 'Testing it' }];
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'TodoWrite', input: { todos } }] },
      { text: 'Done.' },
    ]);
    const { owner, sessionId } = scripted;
    const events = await playTurn(owner, sessionId);
    expect(outcomes(events)).toEqual([Outcome.SUCCESS]);
    expect(bodies(events, 'sessionUpdated')[0]?.todos.map(todo => todo.content)).toEqual(['Test it']);
    const { session } = await owner.sessions.getSession({ sessionId });
    expect(session?.todos.map(todo => todo.activeForm)).toEqual(['Testing it']);
  });
});
