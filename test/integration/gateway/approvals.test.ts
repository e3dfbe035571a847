import { describe, expect, it } from 'vitest';
import { DecisionStage, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { type PendingCall, ReplyState, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { bodies, endOf, newSession, playTurn, resultText } from '#test/agent-turn.ts';
import { allow, answered, askingTurns, edit, resolve } from '#test/answering.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';

describe('a call that asks', () => {
  it('pauses the reply under its id, where every client sees what waits and why', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    let seen: PendingCall | undefined;
    const { events } = await answered(scripted, call => {
      seen = call;
      return allow();
    });
    expect(seen?.toolName).toBe('append');
    expect(seen?.argumentsJson).toBe('{"line":"x"}');
    expect(seen?.decision?.behavior).toBe(PermissionBehavior.ASK);
    expect(seen?.decision?.suggestions.length).toBeGreaterThan(0);
    expect(seen?.replyId).toBe(endOf(events)?.replyId);
  });

  it('shows the reply as waiting until it is answered', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    const { owner, sessionId } = scripted;
    const views: unknown[] = [];
    await playTurn(owner, sessionId, {
      onPending: async ([call]) => {
        const { session } = await owner.sessions.getSession({ sessionId });
        views.push(
          session?.activeReply?.state,
          session?.pending.map(pending => pending.callId),
        );
        const { sessions } = await owner.sessions.listSessions({ pendingOnly: true });
        views.push(sessions.map(listed => listed.sessionId));
        await resolve(scripted, call?.callId ?? '', allow());
        views.push(call?.callId);
      },
    });
    expect(views).toEqual([ReplyState.WAITING, [views[3]], [sessionId], views[3]]);
    const { sessions } = await owner.sessions.listSessions({ pendingOnly: true });
    expect(sessions).toEqual([]);
  });

  it('runs once it is allowed, and the events tell by whom', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    const { events, statuses } = await answered(scripted, () => allow());
    expect(statuses).toEqual([ResolveStatus.ACCEPTED]);
    expect(bodies(events, 'confirmationAnswered')[0]?.approver).toBe('owner');
    const decided = bodies(events, 'toolCallDecided').map(event => event.decision?.stage);
    expect(decided.at(-1)).toBe(DecisionStage.PERSON);
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.SUCCESS);
    expect(scripted.executor.log.started('append').length).toBe(1);
  });

  it('that is allowed once is asked again the next time', async () => {
    const same = { tool: 'append', input: { line: 'x' } };
    await using scripted = await startScriptedGateway(askingTurns([same, same]));
    const { statuses } = await answered(scripted, () => allow());
    expect(statuses.length).toBe(2);
  });

  it('that is allowed and remembered is not asked again, but another one is', async () => {
    const same = { tool: 'append', input: { line: 'x' } };
    const other = { tool: 'append', input: { line: 'y' } };
    await using scripted = await startScriptedGateway(askingTurns([same, same, other]));
    const asked: string[] = [];
    const { events } = await answered(scripted, ({ argumentsJson, decision }) => {
      asked.push(argumentsJson);
      return allow(asked.length === 1 ? { remember: decision?.suggestions[0] } : {});
    });
    expect(asked).toEqual(['{"line":"x"}', '{"line":"y"}']);
    expect(scripted.executor.log.started('append').length).toBe(3);
    const [first] = bodies(events, 'confirmationAnswered');
    expect(first?.remembered?.source).toBe(RuleSource.SESSION);
    expect(first?.remembered?.createdBy).toBe('owner');
    const { rules } = await scripted.owner.permissions.listRules({ sessionId: scripted.sessionId });
    expect(rules.map(rule => rule.content)).toEqual(['x']);
  });

  it('that is remembered for the user is not asked in their next session', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    const { owner } = scripted;
    await answered(scripted, ({ decision }) => {
      const suggestion = decision?.suggestions[0];
      return allow({ remember: { ...suggestion, source: RuleSource.USER } });
    });
    const next = await newSession(owner, 'agent');
    const events = await playTurn(owner, next);
    expect(bodies(events, 'confirmationRequired')).toEqual([]);
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.SUCCESS);
  });

  it('that is denied with a reason does not run, and the model reads the reason', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'append', id: 'a', input: { line: 'x' } }] },
      { expect: { outcomes: { a: 'DENIED' }, results_contain: 'not on a Friday' }, text: 'I see.' },
    ]);
    const { events } = await answered(scripted, () => ({
      case: 'deny',
      value: { reason: 'not on a Friday' },
    }));
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(bodies(events, 'toolCallEnd')[0]?.reason).toBe(OutcomeReason.DENIED_BY_PERSON);
    expect(scripted.executor.log.entries).toEqual([]);
  });

  it('runs with the arguments that a person put in, and the model is told', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    const { events, statuses } = await answered(scripted, () => edit({ line: 'better' }));
    expect(statuses).toEqual([ResolveStatus.ACCEPTED]);
    expect(scripted.executor.log.started('append')[0]?.argumentsJson).toBe('{"line":"better"}');
    const text = resultText(bodies(events, 'toolResultEnd')[0]?.result);
    expect(text).toContain('edited its arguments. What ran: {"line":"better"}');
    expect(text).toContain('appended better');
  });

  it('that a person edits into what a rule denies is denied', async () => {
    await using scripted = await startScriptedGateway(askingTurns(), {
      agent: { permissions: { rules: [{ tool: 'append', content: 'evil', behavior: 'deny' }] } },
    });
    const { events, statuses, messages } = await answered(scripted, () => edit({ line: 'evil' }));
    expect(statuses).toEqual([ResolveStatus.DENIED]);
    expect(messages[0]).toContain('evil');
    expect(bodies(events, 'toolCallEnd')[0]?.reason).toBe(OutcomeReason.DENIED_BY_POLICY);
    expect(scripted.executor.log.entries).toEqual([]);
  });

  it('still waits after edited arguments that do not fit its schema', async () => {
    await using scripted = await startScriptedGateway(askingTurns());
    const statuses: ResolveStatus[] = [];
    await playTurn(scripted.owner, scripted.sessionId, {
      onPending: async ([call]) => {
        for (const answer of [edit({ wrong: 1 }), allow({ editedArgumentsJson: '{' }), allow()]) {
          const { results } = await resolve(scripted, call?.callId ?? '', answer);
          statuses.push(...results.map(result => result.status));
        }
      },
    });
    const { INVALID, ACCEPTED } = ResolveStatus;
    expect(statuses).toEqual([INVALID, INVALID, ACCEPTED]);
  });

  it.each<[string, object]>([
    ['for another tool', { tool: 'count' }],
    ['that denies', { behavior: PermissionBehavior.DENY }],
    ['of the operator', { source: RuleSource.POLICY }],
    ['that holds invisible characters', { content: 'x\u200b' }],
  ])('still waits after an answer with a rule %s, which is not kept', async (_name, change) => {
    await using scripted = await startScriptedGateway(askingTurns());
    const { owner, sessionId } = scripted;
    let status: ResolveStatus | undefined;
    await playTurn(owner, sessionId, {
      onPending: async ([call]) => {
        const remember = { ...call?.decision?.suggestions[0], ...change };
        const { results } = await resolve(scripted, call?.callId ?? '', allow({ remember }));
        status = results[0]?.status;
        expect((await owner.permissions.listRules({ sessionId })).rules).toEqual([]);
        await resolve(scripted, call?.callId ?? '', allow());
      },
    });
    expect(status).toBe(ResolveStatus.INVALID);
  });

  it('is bound to the real path that was decided about', async () => {
    const call = { tool: 'write_file', input: { path: 'notes.txt', content: 'x' } };
    await using scripted = await startScriptedGateway(askingTurns([call]));
    const { events } = await answered(scripted, () => edit({ path: 'other.txt', content: 'x' }));
    expect(resultText(bodies(events, 'toolResultEnd')[0]?.result)).toContain('bound to /workspace/other.txt');
  });

  it('of the gateway itself tells the model too that its arguments were edited', async () => {
    const todos = (content: string) => ({ todos: [{ content, status: 'pending' }] });
    const call = { tool: 'TodoWrite', input: todos('old') };
    await using scripted = await startScriptedGateway(askingTurns([call]), {
      agent: { permissions: { rules: [{ tool: 'TodoWrite', behavior: 'ask' }] } },
    });
    const { events } = await answered(scripted, () => edit(todos('new')));
    expect(resultText(bodies(events, 'toolResultEnd')[0]?.result)).toContain('edited its arguments');
  });
});
