import { describe, expect, it } from 'vitest';
import { ReplyKind, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { durationFromMs } from '#kit/durations.ts';
import { allowing, bodies, callTool, endOf, newSession, playTurn, resultText } from '#test/agent-turn.ts';
import { codeOf, messageOf } from '#test/code-of.ts';
import { createGatewayFolder } from '#test/gateway-folder.ts';
import { startSilentPort } from '#test/odd-executor.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';
import { historyOf } from '#test/session-history.ts';
import { startTestExecutor } from '#test/test-executor.ts';
import { startGatewayOn } from '#test/test-gateway.ts';

describe('a direct call', () => {
  it('takes the same path as a call of a model, with no model and no message', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId } = scripted;
    const argumentsJson = '{"number":9007199254740993}';
    const events = await callTool(owner, { sessionId, toolName: 'say', argumentsJson });
    expect(events.map(({ event }) => event.case)).toEqual([
      'replyStart',
      'toolCallStart',
      'toolCallDecided',
      'toolResultStart',
      'toolResultEnd',
      'toolCallEnd',
      'replyEnd',
    ]);
    expect(bodies(events, 'replyStart')[0]?.kind).toBe(ReplyKind.DIRECT_CALL);
    expect(resultText(bodies(events, 'toolResultEnd')[0]?.result)).toBe(argumentsJson);
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(await historyOf(owner, sessionId)).toEqual([]);
  });

  it('that asks pauses until it is answered', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId } = scripted;
    const request = { sessionId, toolName: 'append', argumentsJson: '{"line":"x"}' };
    const events = await callTool(owner, request, allowing(owner, sessionId));
    expect(bodies(events, 'confirmationRequired').length).toBe(1);
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.SUCCESS);
  });

  it('that a rule denies ends in a result, not in an error', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], {
      folder: { rules: [{ tool: 'append', behavior: 'deny' }] },
    });
    const { owner, sessionId } = scripted;
    const events = await callTool(owner, { sessionId, toolName: 'append' });
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.DENIED);
    expect(scripted.executor.log.entries).toEqual([]);
  });

  it('of one request id runs once, also when it is sent twice at the same time', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], {
      folder: { rules: [{ tool: 'count', behavior: 'allow' }] },
    });
    const { owner, sessionId, executor } = scripted;
    const request = { sessionId, toolName: 'count', argumentsJson: '{"ms":20}', requestId: 'once' };
    const [first, second] = await Promise.all([callTool(owner, request), callTool(owner, request)]);
    expect(second).toEqual(first);
    expect(await callTool(owner, request)).toEqual(first);
    expect(executor.log.started('count').length).toBe(1);
    await callTool(owner, { ...request, requestId: 'twice' });
    expect(executor.log.started('count').length).toBe(2);
  });

  it('of one request id is shown again after a restart, also while its executor is down', async () => {
    const executor = await startTestExecutor();
    await using folder = await createGatewayFolder({
      executors: [executor],
      agents: { agent: { model: 'script:turn.yaml' } },
      scripts: { 'turn.yaml': { turns: [{ text: 'Hi.' }] } },
    });
    const first = await startGatewayOn(folder);
    const sessionId = await newSession(first.owner, 'agent');
    const request = { sessionId, toolName: 'echo', requestId: 'once' };
    const events = await callTool(first.owner, request);
    await first[Symbol.asyncDispose]();
    await executor[Symbol.asyncDispose]();
    await using second = await startGatewayOn(folder);
    expect(await callTool(second.owner, request)).toEqual(events);
  });

  it('ends when its time is over', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId } = scripted;
    const request = {
      sessionId,
      toolName: 'sleep',
      argumentsJson: '{"ms":60000}',
      timeout: durationFromMs(30),
    };
    const events = await callTool(owner, request);
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.TIMED_OUT);
  });

  it('is ended by the gateway when its executor lets the time pass, and is told as a timeout', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId, executor } = scripted;
    const request = {
      sessionId,
      toolName: 'stubborn',
      argumentsJson: '{"ms":60000}',
      timeout: durationFromMs(1),
    };
    const events = await callTool(owner, request);
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.TIMED_OUT);
    expect(executor.log.entries.map(entry => entry.what)).toEqual(['started', 'cancelled', 'ended']);
  });

  it('runs beside a turn of its session, but not beside an exclusive call of it', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'exclusive', input: { ms: 100 } }] },
      { text: 'Done.' },
    ]);
    const { owner, sessionId, executor } = scripted;
    const turn = playTurn(owner, sessionId);
    await executor.log.until('started', 'exclusive');
    await callTool(owner, { sessionId, toolName: 'echo' });
    await turn;
    expect(executor.log.entries.map(({ what, tool }) => `${tool} ${what}`)).toEqual([
      'exclusive started',
      'exclusive ended',
      'echo started',
      'echo ended',
    ]);
  });

  it.each([
    ['an unknown tool', { toolName: 'nothing' }, 'NotFound', 'The tools of this session are'],
    ['arguments that are no JSON', { argumentsJson: '{' }, 'InvalidArgument', 'not valid JSON'],
    ['arguments that do not fit', { argumentsJson: '{"txet":1}' }, 'InvalidArgument', 'unknown key "txet"'],
    ['an empty session id', { sessionId: '' }, 'InvalidArgument', 'session_id is empty'],
    ['an unknown session', { sessionId: 'ses_none' }, 'NotFound', 'there is no session'],
    ['no time', { timeout: durationFromMs(0) }, 'InvalidArgument', 'timeout'],
  ])('with %s is refused before anything is written', async (_name, fields, code, text) => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId } = scripted;
    const call = () => owner.tools.callTool({ sessionId, toolName: 'echo', ...fields });
    expect(await codeOf(call())).toBe(code);
    expect(await messageOf(call())).toContain(text);
    const { session } = await owner.sessions.getSession({ sessionId });
    expect(session?.lastSequence).toBe(0n);
  });
});

describe('an executor that is down', () => {
  it('makes a direct call Unavailable while its tools were never known', async () => {
    const gone = await startTestExecutor();
    await gone[Symbol.asyncDispose]();
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], {
      folder: { executors: [{ name: 'gone', address: gone.address, token: gone.token }] },
    });
    const { owner, sessionId } = scripted;
    const call = () => owner.tools.callTool({ sessionId, toolName: 'echo' });
    expect(await codeOf(call())).toBe('Unavailable');
    expect(await messageOf(call())).toContain('"gone"');
  });

  it.each([
    ['that needs no facts', { toolName: 'echo' }],
    ['that needs facts', { toolName: 'write_file', argumentsJson: '{"path":"x"}' }],
  ])(
    'makes a direct call %s Unavailable after it was known; nothing ran, and the tool is shown so',
    async (_name, call) => {
      await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
      const { owner, sessionId, executor } = scripted;
      await executor[Symbol.asyncDispose]();
      expect(await codeOf(owner.tools.callTool({ sessionId, ...call }))).toBe('Unavailable');
      await expect
        .poll(
          async () =>
            (await owner.tools.listTools({})).tools.find(tool => tool.spec?.name === 'echo')?.available,
        )
        .toBe(false);
      const { executors } = await owner.executors.listExecutors({});
      expect(executors[0]?.message).not.toBe('');
    },
  );

  it('that takes connections but says nothing keeps neither the start nor a call waiting for long', async () => {
    await using silent = await startSilentPort();
    const startedAt = performance.now();
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], {
      folder: { executors: [{ name: 'silent', address: silent.address, token: 'x' }] },
    });
    const { owner, sessionId } = scripted;
    expect(await codeOf(owner.tools.callTool({ sessionId, toolName: 'echo' }))).toBe('Unavailable');
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('becomes a result that the model reads in a turn', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'echo', id: 'e' }] },
      { expect: { outcomes: { e: 'ERROR' }, results_contain: 'Nothing ran' }, text: 'I see.' },
    ]);
    await scripted.executor[Symbol.asyncDispose]();
    const events = await playTurn(scripted.owner, scripted.sessionId);
    expect(bodies(events, 'toolCallEnd')[0]?.reason).toBe(OutcomeReason.EXECUTOR_UNAVAILABLE);
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
  });

  it('that comes up is used without a restart', async () => {
    const first = await startTestExecutor();
    await first[Symbol.asyncDispose]();
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], {
      folder: { executors: [{ name: 'late', address: first.address, token: first.token }] },
    });
    const port = Number(new URL(first.address).port);
    await using late = await startTestExecutor({ port, token: first.token });
    const { owner, sessionId } = scripted;
    await expect
      .poll(() => codeOf(owner.tools.callTool({ sessionId, toolName: 'echo' })), { timeout: 10_000 })
      .toBe('OK');
    expect(late.log.started('echo').length).toBe(1);
  });

  it('refuses a gateway with another token, and its tools stay unknown', async () => {
    await using strict = await startTestExecutor();
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }], {
      folder: { executors: [{ name: 'strict', address: strict.address, token: 'wrong' }] },
    });
    const { owner, sessionId } = scripted;
    expect(await codeOf(owner.tools.callTool({ sessionId, toolName: 'echo' }))).toBe('Unavailable');
    const { executors } = await owner.executors.listExecutors({});
    expect(executors[0]?.message).toContain('only its gateway');
  });
});
