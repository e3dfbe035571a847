import { describe, expect, it } from 'vitest';
import { RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { bodies, endOf, newSession, playTurn, resultText } from '#test/agent-turn.ts';
import { type Answer, allow, answered, askingTurns, resolve } from '#test/answering.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';

describe('answers', () => {
  it('that come a second time change nothing and say so', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    const statuses: ResolveStatus[] = [];
    const events = await playTurn(scripted.owner, scripted.sessionId, {
      onPending: async ([call]) => {
        for (const answer of [allow(), { case: 'deny' as const, value: { reason: 'late' } }]) {
          const { results } = await resolve(scripted, call?.callId ?? '', answer);
          statuses.push(...results.map(result => result.status));
        }
      },
    });
    expect(statuses).toEqual([ResolveStatus.ACCEPTED, ResolveStatus.ALREADY_ANSWERED]);
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.SUCCESS);
  });

  it('that come at the same time count once, and the rule of one that lost is not kept', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    const { owner, sessionId } = scripted;
    const statuses: ResolveStatus[] = [];
    const events = await playTurn(owner, sessionId, {
      onPending: async ([call]) => {
        const remember = call?.decision?.suggestions[0];
        const all = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            resolve(
              scripted,
              call?.callId ?? '',
              index % 2 === 0 ? allow({ remember }) : { case: 'deny', value: {} },
            ),
          ),
        );
        statuses.push(...all.flatMap(({ results }) => results.map(result => result.status)));
      },
    });
    const accepted = statuses.filter(status => status === ResolveStatus.ACCEPTED);
    expect(accepted.length).toBe(1);
    expect(statuses.filter(status => status === ResolveStatus.ALREADY_ANSWERED).length).toBe(7);
    const [answer, ...more] = bodies(events, 'confirmationAnswered');
    expect(more).toEqual([]);
    const { rules } = await owner.permissions.listRules({ sessionId });
    expect(rules.length).toBe(answer?.remembered === undefined ? 0 : 1);
    expect(scripted.executor.log.started('append').length).toBeLessThanOrEqual(1);
  });

  it('to several calls are taken or refused each by itself, in any order', async () => {
    await using scripted = await startScriptedGateway([
      {
        calls: [
          { tool: 'append', input: { line: 'a' } },
          { tool: 'append', input: { line: 'b' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const { owner, sessionId } = scripted;
    const statuses: ResolveStatus[] = [];
    const events = await playTurn(owner, sessionId, {
      onPending: async calls => {
        const answers = [...calls].reverse().map(({ callId }) => ({ callId, answer: allow() }));
        const { results } = await owner.sessions.resolve({
          sessionId,
          answers: [...answers, { callId: 'call_none', answer: allow() }] as never,
        });
        statuses.push(...results.map(result => result.status));
      },
    });
    const { ACCEPTED, UNKNOWN_CALL } = ResolveStatus;
    expect(statuses).toEqual([ACCEPTED, ACCEPTED, UNKNOWN_CALL]);
    expect(
      bodies(events, 'toolResultEnd')
        .map(end => resultText(end.result))
        .sort(),
    ).toEqual(['appended a', 'appended b']);
  });

  it.each<[string, Answer]>([
    ['an external result', { case: 'externalResult', value: { outcome: Outcome.SUCCESS } }],
    ['an answer to a question', { case: 'questionAnswerJson', value: '{}' }],
  ])('of the wrong kind (%s) change nothing', async (_name, wrong) => {
    await using scripted = await startScriptedGateway(askingTurns());
    const statuses: ResolveStatus[] = [];
    await playTurn(scripted.owner, scripted.sessionId, {
      onPending: async ([call]) => {
        for (const answer of [wrong, allow()]) {
          const { results } = await resolve(scripted, call?.callId ?? '', answer);
          statuses.push(...results.map(result => result.status));
        }
      },
    });
    expect(statuses).toEqual([ResolveStatus.WRONG_KIND, ResolveStatus.ACCEPTED]);
  });

  it('to a call of another session know no such call', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    const { owner, sessionId } = scripted;
    const other = await newSession(owner, 'agent');
    let status: ResolveStatus | undefined;
    await playTurn(owner, sessionId, {
      onPending: async ([call]) => {
        const { results } = await resolve({ ...scripted, sessionId: other }, call?.callId ?? '', allow());
        status = results[0]?.status;
        await resolve(scripted, call?.callId ?? '', allow());
      },
    });
    expect(status).toBe(ResolveStatus.UNKNOWN_CALL);
  });
});

describe('rules of the operator', () => {
  it('deny without asking, and the model learns which rule it was', async () => {
    await using scripted = await startScriptedGateway(
      [
        { calls: [{ tool: 'append', id: 'a', input: { line: 'secret' } }] },
        { expect: { outcomes: { a: 'DENIED' }, results_contain: 'secret' }, text: 'I see.' },
      ],
      { folder: { rules: [{ tool: 'append', content: 'secret', behavior: 'deny' }] } },
    );
    const { events } = await answered(scripted, () => allow());
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(bodies(events, 'confirmationRequired')).toEqual([]);
    expect(bodies(events, 'allToolsDenied').length).toBe(1);
    expect(bodies(events, 'toolCallDecided')[0]?.decision?.rule?.source).toBe(RuleSource.POLICY);
  });
});
