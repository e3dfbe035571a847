import { describe, expect, it } from 'vitest';
import { PermissionMode, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { allowing, bodies, callTool, newSession, playTurn, textContent } from '#test/agent-turn.ts';
import { codeOf, messageOf } from '#test/code-of.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';
import { untilReplyEnd } from '#test/session-history.ts';

const asking = [{ calls: [{ tool: 'append', input: { line: 'x' } }] }, { text: 'Done.' }];
const { ALLOW, ASK, DENY } = PermissionBehavior;

describe('a caller without the scope "approve"', () => {
  it('cannot answer what its own turn asks; somebody who may can', async () => {
    await using scripted = await startScriptedGateway(asking);
    const { agent, owner } = scripted.gateway;
    const sessionId = await newSession(agent, 'agent');
    const codes: string[] = [];
    const events = await playTurn(agent, sessionId, {
      onPending: async calls => {
        codes.push(await codeOf(allowing(agent, sessionId)(calls)));
        await allowing(owner, sessionId)(calls);
      },
    });
    expect(codes).toEqual(['PermissionDenied']);
    expect(bodies(events, 'confirmationAnswered').map(answered => answered.approver)).toEqual(['owner']);
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.SUCCESS);
  });

  it('is told which scope it lacks', async () => {
    await using scripted = await startScriptedGateway(asking);
    const { agent } = scripted.gateway;
    const text = await messageOf(agent.sessions.resolve({ sessionId: scripted.sessionId }));
    expect(text).toContain('"approve"');
    expect(text).toContain('use, call');
  });

  it("cannot choose a mode that is more lenient than its agent's, at the start or later", async () => {
    await using scripted = await startScriptedGateway(asking, { agent: { permissions: { mode: 'PLAN' } } });
    const { agent } = scripted.gateway;
    const create = (mode: PermissionMode) =>
      codeOf(agent.sessions.createSession({ agent: { case: 'agentName', value: 'agent' }, mode }));
    const { BYPASS, ACCEPT_EDITS, DEFAULT, PLAN } = PermissionMode;
    expect(await create(BYPASS)).toBe('PermissionDenied');
    expect(await create(ACCEPT_EDITS)).toBe('PermissionDenied');
    expect(await create(DEFAULT)).toBe('PermissionDenied');
    expect(await create(PLAN)).toBe('OK');
    const sessionId = await newSession(agent, 'agent');
    const update = (mode: PermissionMode) => codeOf(agent.sessions.updateSession({ sessionId, mode }));
    expect(await update(BYPASS)).toBe('PermissionDenied');
    expect(await update(DEFAULT)).toBe('PermissionDenied');
  });

  it('cannot bring an agent of its own that is more lenient than the default', async () => {
    await using scripted = await startScriptedGateway(asking);
    const create = (definition: object) =>
      codeOf(
        scripted.gateway.agent.sessions.createSession({
          agent: { case: 'definition', value: { name: 'mine', model: 'script:turn.yaml', ...definition } },
        }),
      );
    expect(await create({ permissionMode: PermissionMode.BYPASS })).toBe('PermissionDenied');
    expect(await create({ rules: [{ tool: 'append', behavior: ALLOW }] })).toBe('PermissionDenied');
    expect(await create({ rules: [{ tool: 'append', behavior: DENY }] })).toBe('OK');
    expect(await create({})).toBe('OK');
  });

  it("cannot pass rules of its own agent off as the operator's", async () => {
    await using scripted = await startScriptedGateway(asking);
    const { agent } = scripted.gateway;
    const rule = {
      tool: 'append',
      behavior: ASK,
      source: RuleSource.POLICY,
      createdBy: 'operator',
      ruleId: 'r',
    };
    const { session } = await agent.sessions.createSession({
      agent: { case: 'definition', value: { name: 'mine', model: 'script:turn.yaml', rules: [rule] } },
    });
    const { rules } = await agent.permissions.listRules({ sessionId: session?.sessionId ?? '' });
    expect(rules.map(({ source, createdBy, ruleId }) => [source, createdBy, ruleId])).toEqual([
      [RuleSource.AGENT, '', ''],
    ]);
  });

  it('cannot keep or delete rules, but may make its own session stricter', async () => {
    await using scripted = await startScriptedGateway(asking);
    const { agent, owner } = scripted.gateway;
    const sessionId = await newSession(agent, 'agent');
    const put = (rule: object) => codeOf(agent.permissions.putRule({ rule: { tool: 'append', ...rule } }));
    const { SESSION, USER, POLICY } = RuleSource;
    expect(await put({ behavior: ALLOW, source: SESSION, sessionId })).toBe('PermissionDenied');
    expect(await put({ behavior: ALLOW, source: USER })).toBe('PermissionDenied');
    expect(await put({ behavior: DENY, source: USER })).toBe('PermissionDenied');
    expect(await put({ behavior: ASK, source: SESSION, sessionId })).toBe('OK');
    expect(await put({ behavior: DENY, source: SESSION, sessionId: scripted.sessionId })).toBe('NotFound');
    expect(
      await codeOf(owner.permissions.putRule({ rule: { tool: 'append', behavior: DENY, source: POLICY } })),
    ).toBe('InvalidArgument');
    const { rules } = await agent.permissions.listRules({ sessionId });
    const [rule] = rules;
    expect(rules.length).toBe(1);
    expect(await put({ ...rule, behavior: ALLOW })).toBe('PermissionDenied');
    expect(await codeOf(agent.permissions.deleteRule({ ruleId: rule?.ruleId ?? '' }))).toBe(
      'PermissionDenied',
    );
  });

  it('cannot give its session allow rules', async () => {
    await using scripted = await startScriptedGateway(asking);
    const request = {
      agent: { case: 'agentName' as const, value: 'agent' },
      rules: [{ tool: 'append', behavior: ALLOW }],
    };
    expect(await codeOf(scripted.gateway.agent.sessions.createSession(request))).toBe('PermissionDenied');
    expect(await codeOf(scripted.owner.sessions.createSession(request))).toBe('OK');
  });

  it('finds no session of others, by any method', async () => {
    await using scripted = await startScriptedGateway(asking);
    const { agent } = scripted.gateway;
    const { sessionId } = scripted;
    const content = textContent('hi');
    const codes = await Promise.all([
      codeOf(agent.sessions.getSession({ sessionId })),
      codeOf(agent.sessions.updateSession({ sessionId })),
      codeOf(agent.sessions.listMessages({ sessionId })),
      codeOf(agent.sessions.sendMessage({ sessionId, content })),
      codeOf(agent.sessions.watchSession({ sessionId })),
      codeOf(agent.sessions.interrupt({ sessionId })),
      codeOf(agent.sessions.deleteSession({ sessionId })),
      codeOf(agent.tools.listTools({ sessionId })),
      codeOf(agent.tools.callTool({ sessionId, toolName: 'echo' })),
      codeOf(agent.permissions.listRules({ sessionId })),
      codeOf(agent.permissions.explain({ sessionId, toolName: 'echo' })),
    ]);
    expect(new Set(codes)).toEqual(new Set(['NotFound']));
    expect((await agent.sessions.listSessions({})).sessions).toEqual([]);
  });

  it('cannot see the executors', async () => {
    await using scripted = await startScriptedGateway(asking);
    expect(await codeOf(scripted.gateway.agent.executors.listExecutors({}))).toBe('PermissionDenied');
    const { executors } = await scripted.owner.executors.listExecutors({});
    expect(executors.map(executor => executor.name)).toEqual(['test']);
  });
});

describe('sessions', () => {
  it('are listed page by page, each once, and only own ones', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { agent } = scripted.gateway;
    const made = [];
    for (let number = 0; number < 5; number += 1) made.push(await newSession(agent, 'agent'));
    const seen: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await agent.sessions.listSessions({ pageSize: 2, pageToken });
      seen.push(...page.sessions.map(session => session.sessionId));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    expect(seen.sort()).toEqual(made.sort());
    expect(await codeOf(agent.sessions.listSessions({ pageToken: 'nonsense' }))).toBe('InvalidArgument');
  });

  it('take labels and a stricter mode, and tell their watchers', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { agent } = scripted.gateway;
    const sessionId = await newSession(agent, 'agent');
    await agent.sessions.updateSession({ sessionId, labels: { a: '1', b: '2' } });
    const mode = PermissionMode.PLAN;
    const { session } = await agent.sessions.updateSession({ sessionId, mode, labels: { a: '' } });
    expect(session?.labels).toEqual({ b: '2' });
    expect(session?.mode).toBe(mode);
    expect(session?.lastSequence).toBe(2n);
  });

  it('take no mode that does not exist', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId } = scripted;
    const mode = 99 as PermissionMode;
    expect(await codeOf(owner.sessions.updateSession({ sessionId, mode }))).toBe('InvalidArgument');
    const agent = { case: 'agentName' as const, value: 'agent' };
    expect(await codeOf(owner.sessions.createSession({ agent, mode }))).toBe('InvalidArgument');
  });

  it.each([
    ['no agent', { agent: { case: undefined } }, 'InvalidArgument'],
    ['an unknown agent', { agent: { case: 'agentName', value: 'nobody' } }, 'NotFound'],
    ['an agent name that walks', { agent: { case: 'agentName', value: '../agent' } }, 'NotFound'],
    ['attributes that are no object', { attributesJson: '[1]' }, 'InvalidArgument'],
    ['attributes that are no JSON', { attributesJson: '{' }, 'InvalidArgument'],
    ['a sandbox, which is not there yet', { sandbox: {} }, 'Unimplemented'],
    ['tools of the client, which are not there yet', { clientTools: [{ name: 'x' }] }, 'Unimplemented'],
    ['a deny rule for no tool', { rules: [{ tool: 'nothing', behavior: DENY }] }, 'InvalidArgument'],
    [
      'an unknown model',
      { agent: { case: 'definition', value: { name: 'x', model: 'x:y' } } },
      'InvalidArgument',
    ],
  ])('with %s are refused', async (_name, fields, code) => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const request = { agent: { case: 'agentName', value: 'agent' }, ...fields } as never;
    expect(await codeOf(scripted.owner.sessions.createSession(request))).toBe(code);
  });

  it('that are deleted are gone with all they had, and their executor knows', async () => {
    await using scripted = await startScriptedGateway(asking);
    const { owner, sessionId, executor } = scripted;
    let ended: Promise<void> | undefined;
    const turn = codeOf(
      playTurn(owner, sessionId, {
        onPending: async () => {
          ended = untilReplyEnd(owner, sessionId);
          await owner.sessions.deleteSession({ sessionId });
        },
      }),
    );
    expect(['OK', 'NotFound']).toContain(await turn);
    await ended;
    expect(executor.closedSessions).toEqual([sessionId]);
    expect(await codeOf(owner.sessions.getSession({ sessionId }))).toBe('NotFound');
    expect(await codeOf(owner.sessions.deleteSession({ sessionId }))).toBe('OK');
    expect(await codeOf(callTool(owner, { sessionId, toolName: 'echo' }))).toBe('NotFound');
  });

  it('that are deleted while a tool runs end that call in its executor', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'sleep', input: { ms: 60_000 } }] },
      { text: 'Done.' },
    ]);
    const { owner, sessionId, executor } = scripted;
    const turn = codeOf(playTurn(owner, sessionId));
    await executor.log.until('started', 'sleep');
    await owner.sessions.deleteSession({ sessionId });
    await executor.log.until('cancelled', 'sleep');
    expect(['OK', 'NotFound']).toContain(await turn);
  });
});
