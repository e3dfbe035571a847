import { describe, expect, it } from 'vitest';
import { playTurn } from '#test/agent-turn.ts';
import { codeOf } from '#test/code-of.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';

describe('a session with a reply that runs', () => {
  it('takes no second message, but the same one again', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'sleep', input: { ms: 200 } }] },
      { text: 'Done.' },
    ]);
    const { owner, sessionId, executor } = scripted;
    const turn = playTurn(owner, sessionId, { requestId: 'once' });
    await executor.log.until('started', 'sleep');
    expect(await codeOf(playTurn(owner, sessionId, { requestId: 'other' }))).toBe('FailedPrecondition');
    const again = await playTurn(owner, sessionId, { requestId: 'once' });
    expect(again).toEqual(await turn);
    expect(await playTurn(owner, sessionId, { requestId: 'once' })).toEqual(again);
    expect(executor.log.started('sleep').length).toBe(1);
  });
});
