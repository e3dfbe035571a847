import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import type { PendingCall } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { allowing, bodies, endOf, newSession, playTurn, resultText } from '#test/agent-turn.ts';
import { codeOf } from '#test/code-of.ts';
import { createGatewayFolder } from '#test/gateway-folder.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';
import { allEvents, historyOf, historyProblems, untilReplyEnd } from '#test/session-history.ts';
import { startTestExecutor } from '#test/test-executor.ts';
import { startTestExecutorProcess } from '#test/test-executor-process.ts';
import { exitOfGateway, startGatewayOn, startGatewayProcess } from '#test/test-gateway.ts';

async function folderFor(executor: { address: string; token: string }, turns: object[], limits: object = {}) {
  return createGatewayFolder({
    executors: [executor],
    agents: { agent: { model: 'script:turn.yaml' } },
    scripts: { 'turn.yaml': { turns } },
    limits,
  });
}

describe('a gateway that is killed', () => {
  it('while a call waits for an answer still shows it after the restart, and the answer finishes the same reply', async () => {
    await using executor = await startTestExecutor();
    await using folder = await folderFor(executor, [
      { calls: [{ tool: 'append', input: { line: 'x' } }] },
      { text: 'Done.' },
    ]);
    await using first = await startGatewayProcess(folder);
    const sessionId = await newSession(first.owner, 'agent');
    let pending: readonly PendingCall[] = [];
    const cut = await codeOf(
      playTurn(first.owner, sessionId, {
        onPending: async calls => {
          pending = calls;
          await first.kill();
        },
      }),
    );
    expect(['Unavailable', 'Internal', 'Canceled', 'Unknown', 'Aborted']).toContain(cut);
    await using second = await startGatewayProcess(folder);
    const { session } = await second.owner.sessions.getSession({ sessionId });
    expect(session?.pending).toEqual(pending);
    expect(session?.activeReply?.replyId).toBe(pending[0]?.replyId);
    await allowing(second.owner, sessionId)(session?.pending ?? []);
    await untilReplyEnd(second.owner, sessionId);
    const events = await allEvents(second.owner, sessionId);
    expect(endOf(events)?.replyId).toBe(pending[0]?.replyId);
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(executor.log.started('append').length).toBe(1);
    expect(historyProblems(await historyOf(second.owner, sessionId))).toEqual([]);
  });

  it('while a tool runs comes back to that call, which ran once and whose output is told once', async () => {
    await using executor = await startTestExecutor();
    await using folder = await folderFor(executor, [
      { calls: [{ tool: 'talk', input: { ms: 1_500 } }] },
      { text: 'Done.' },
    ]);
    await using first = await startGatewayProcess(folder);
    const sessionId = await newSession(first.owner, 'agent');
    const turn = codeOf(playTurn(first.owner, sessionId));
    for await (const { message } of first.owner.sessions.watchSession({ sessionId })) {
      if (message.case === 'event' && message.value.event.case === 'toolResultTextDelta') break;
    }
    await first.kill();
    expect(await turn).not.toBe('OK');
    await using second = await startGatewayOn(folder);
    await untilReplyEnd(second.owner, sessionId);
    const events = await allEvents(second.owner, sessionId);
    expect(executor.log.entries.map(entry => entry.what)).toEqual(['started', 'ended']);
    expect(bodies(events, 'toolCallEnd').map(end => end.outcome)).toEqual([Outcome.SUCCESS]);
    expect(
      bodies(events, 'toolResultTextDelta')
        .map(delta => delta.text)
        .join(''),
    ).toBe('first second');
    expect(historyProblems(await historyOf(second.owner, sessionId))).toEqual([]);
  });

  it('while the model speaks asks it again, and tells that the first answer was lost', async () => {
    await using executor = await startTestExecutor();
    await using folder = await folderFor(executor, [{ text: 'I speak for a long time.', delay_ms: 150 }]);
    await using first = await startGatewayProcess(folder);
    const sessionId = await newSession(first.owner, 'agent');
    const turn = codeOf(playTurn(first.owner, sessionId));
    for await (const { message } of first.owner.sessions.watchSession({ sessionId })) {
      if (message.case === 'event' && message.value.event.case === 'textBlockDelta') break;
    }
    await first.kill();
    await turn;
    await using second = await startGatewayOn(folder);
    await untilReplyEnd(second.owner, sessionId);
    const events = await allEvents(second.owner, sessionId);
    expect(bodies(events, 'modelCallStart').map(start => start.iteration)).toEqual([1, 1]);
    expect(bodies(events, 'modelCallEnd')[0]?.error).toContain('asked again');
    const blocks = bodies(events, 'textBlockStart').map(block => block.blockId);
    expect(new Set(blocks).size).toBe(2);
    const [, answer] = await historyOf(second.owner, sessionId);
    expect(JSON.stringify(answer)).toContain('I speak for a long time.');
  });
});

describe('an executor that is killed', () => {
  it('while a call runs leaves it in doubt within its lease, and the next call works after its return', async () => {
    const executor = await startTestExecutorProcess({ leaseMs: 1_000 });
    await using scripted = await startScriptedGateway(
      [
        { calls: [{ tool: 'count', id: 'lost', input: { ms: 60_000 } }] },
        {
          expect: { outcomes: { lost: 'UNKNOWN' }, results_contain: 'look before you repeat it' },
          text: 'I look.',
        },
      ],
      { folder: { executors: [executor], rules: [{ tool: 'count', behavior: 'allow' }] } },
    );
    const { owner, sessionId } = scripted;
    const turn = playTurn(owner, sessionId);
    await executor.log.until('started', 'count');
    const killedAt = performance.now();
    await executor.kill();
    const events = await turn;
    expect(performance.now() - killedAt).toBeLessThan(5_000);
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(bodies(events, 'toolCallEnd')[0]?.reason).toBe(OutcomeReason.EXECUTOR_LOST);

    const port = Number(new URL(executor.address).port);
    await using again = await startTestExecutorProcess({ port, token: executor.token });
    const call = () => codeOf(owner.tools.callTool({ sessionId, toolName: 'echo' }));
    await expect.poll(call, { timeout: 10_000 }).toBe('OK');
    expect(again.log.started('count')).toEqual([]);
  });

  it('and returns within the lease does not run the call a second time', async () => {
    const executor = await startTestExecutorProcess({ leaseMs: 20_000 });
    await using scripted = await startScriptedGateway(
      [{ calls: [{ tool: 'count', input: { ms: 60_000 } }] }, { text: 'Done.' }],
      { folder: { executors: [executor], rules: [{ tool: 'count', behavior: 'allow' }] } },
    );
    const turn = playTurn(scripted.owner, scripted.sessionId);
    await executor.log.until('started', 'count');
    await executor.kill();
    const port = Number(new URL(executor.address).port);
    await using again = await startTestExecutorProcess({ port, token: executor.token });
    const events = await turn;
    expect(bodies(events, 'toolCallEnd')[0]?.outcome).toBe(Outcome.UNKNOWN);
    expect(resultText(bodies(events, 'toolResultEnd')[0]?.result)).toContain('may have run');
    expect(again.log.entries).toEqual([]);
  });
});

describe('SIGTERM', () => {
  it('lets a running turn end, takes nothing new, and says so to health checks', async () => {
    await using executor = await startTestExecutor();
    await using folder = await folderFor(
      executor,
      [{ calls: [{ tool: 'sleep', input: { ms: 1_500 } }] }, { text: 'Done.' }],
      { drainMs: 20_000 },
    );
    await using gateway = await startGatewayProcess(folder);
    const { owner } = gateway;
    const [sessionId, other] = [await newSession(owner, 'agent'), await newSession(owner, 'agent')];
    const health = createClient(Health, createGrpcTransport({ baseUrl: gateway.address }));
    const seen: Status[] = [];
    const watching = (async () => {
      for await (const { status } of health.watch({})) seen.push(status);
    })();
    const turn = playTurn(owner, sessionId);
    await executor.log.until('started', 'sleep');
    gateway.process.kill('SIGTERM');
    await watching;
    expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING]);
    expect(await codeOf(playTurn(owner, other))).toBe('Unavailable');
    expect(await codeOf(newSession(owner, 'agent'))).toBe('Unavailable');
    expect(await codeOf(owner.tools.callTool({ sessionId: other, toolName: 'echo' }))).toBe('Unavailable');
    expect(endOf(await turn)?.stopReason).toBe(StopReason.COMPLETED);
    expect(await exitOfGateway(gateway)).toBe(0);
  });

  it('ends the streams of a turn that takes longer with Unavailable; the next gateway finishes it', async () => {
    await using executor = await startTestExecutor();
    await using folder = await folderFor(
      executor,
      [{ calls: [{ tool: 'sleep', input: { ms: 2_500 } }] }, { text: 'Done.' }],
      { drainMs: 100 },
    );
    await using first = await startGatewayProcess(folder);
    const sessionId = await newSession(first.owner, 'agent');
    const turn = codeOf(playTurn(first.owner, sessionId));
    const watch = codeOf(first.owner.sessions.watchSession({ sessionId }));
    await executor.log.until('started', 'sleep');
    first.process.kill('SIGTERM');
    expect(await turn).toBe('Unavailable');
    expect(await watch).toBe('Unavailable');
    expect(await exitOfGateway(first)).toBe(0);
    await using second = await startGatewayOn(folder);
    await untilReplyEnd(second.owner, sessionId);
    const events = await allEvents(second.owner, sessionId);
    expect(bodies(events, 'toolCallEnd').map(end => end.outcome)).toEqual([Outcome.SUCCESS]);
    expect(executor.log.entries.map(entry => entry.what)).toEqual(['started', 'ended']);
  });

  it('ends an idle gateway at once, whatever connections are open', async () => {
    await using executor = await startTestExecutor();
    await using folder = await folderFor(executor, [{ text: 'Hi.' }], { drainMs: 20_000 });
    await using gateway = await startGatewayProcess(folder);
    const sessionId = await newSession(gateway.owner, 'agent');
    await playTurn(gateway.owner, sessionId);
    const askedAt = performance.now();
    gateway.process.kill('SIGTERM');
    expect(await exitOfGateway(gateway)).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(5_000);
  });
});
