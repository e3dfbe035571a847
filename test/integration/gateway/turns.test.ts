import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { MessageRole } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { bodies, endOf, playTurn, resultText } from '#test/agent-turn.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';
import { historyOf, historyProblems, resultsOf } from '#test/session-history.ts';

function outcomes(events: Awaited<ReturnType<typeof playTurn>>): Outcome[] {
  return bodies(events, 'toolCallEnd').map(end => end.outcome);
}

describe('a turn', () => {
  it('tells everything that happens, in order', async () => {
    await using scripted = await startScriptedGateway([
      { thinking: 'hm', text: 'I look.', calls: [{ tool: 'echo', id: 'e', input: { text: 'x' } }] },
      { expect: { outcomes: { e: 'SUCCESS' } }, text: 'Done.', usage: { input: 5, output: 3 } },
    ]);
    const { owner, sessionId } = scripted;
    const events = await playTurn(owner, sessionId, { text: 'hello' });
    expect(events.map(({ event }) => event.case)).toEqual([
      'replyStart',
      'modelCallStart',
      'thinkingBlockStart',
      'thinkingBlockDelta',
      'thinkingBlockEnd',
      'textBlockStart',
      'textBlockDelta',
      'textBlockEnd',
      'modelCallEnd',
      'toolCallStart',
      'toolCallDecided',
      'toolResultStart',
      'toolResultEnd',
      'toolCallEnd',
      'modelCallStart',
      'textBlockStart',
      'textBlockDelta',
      'textBlockEnd',
      'modelCallEnd',
      'replyEnd',
    ]);
    expect(new Set(events.map(event => event.replyId)).size).toBe(1);
    expect(events.every(event => event.sessionId === sessionId && event.time !== undefined)).toBe(true);
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(endOf(events)?.iterations).toBe(2);
    expect(endOf(events)?.usage?.inputTokens).toBe(5n);
    const [call] = bodies(events, 'toolCallStart');
    expect([call?.toolName, call?.argumentsText, call?.providerCallId]).toEqual([
      'echo',
      '{"text":"x"}',
      'e',
    ]);
    const [end] = bodies(events, 'toolCallEnd');
    expect(end?.callId).toBe(call?.callId);
    expect(end?.duration).toBeDefined();
    const blocks = bodies(events, 'textBlockStart').map(block => block.blockId);
    expect(new Set(blocks).size).toBe(2);
  });

  it('leaves a history of user, assistant, results and assistant', async () => {
    await using scripted = await startScriptedGateway([
      { text: 'I look.', calls: [{ tool: 'echo', input: { text: 'x' } }] },
      { text: 'Done.' },
    ]);
    const { owner, sessionId } = scripted;
    await playTurn(owner, sessionId, { text: 'hello' });
    const history = await historyOf(owner, sessionId);
    const { USER, ASSISTANT, TOOL } = MessageRole;
    expect(history.map(message => message.role)).toEqual([USER, ASSISTANT, TOOL, ASSISTANT]);
    expect(historyProblems(history)).toEqual([]);
  });

  it('hands 64-bit integers to the tool with every digit', async () => {
    const input = '{"number": 9223372036854775807, "list": [9007199254740993]}';
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'echo', input }] },
      { text: 'Done.' },
    ]);
    const events = await playTurn(scripted.owner, scripted.sessionId);
    const received = '{"number":9223372036854775807,"list":[9007199254740993]}';
    expect(scripted.executor.log.started('echo')[0]?.argumentsJson).toBe(received);
    expect(bodies(events, 'toolCallDecided')[0]?.argumentsJson).toBe(received);
    expect(resultText(bodies(events, 'toolResultEnd')[0]?.result)).toBe(received);
  });

  it('shows progress and output while a tool runs', async () => {
    await using scripted = await startScriptedGateway([
      {
        calls: [
          { tool: 'progress' },
          { tool: 'speak', input: { base64: [Buffer.from('grö').toString('base64'), '/w=='] } },
        ],
      },
      { text: 'Done.' },
    ]);
    const events = await playTurn(scripted.owner, scripted.sessionId);
    expect(bodies(events, 'toolProgress').map(({ progress }) => progress?.current)).toContain(2);
    expect(bodies(events, 'toolResultTextDelta').map(delta => delta.text)).toEqual(['grö']);
    expect(bodies(events, 'toolResultDataDelta').map(delta => [...delta.data])).toEqual([[0xff]]);
  });

  it('caps the output in the log and the result for the model, and says so in both', async () => {
    const limits = { loggedOutputBytes: 4_096, resultBytes: 2_048 };
    await using scripted = await startScriptedGateway(
      [{ calls: [{ tool: 'flood', input: { bytes: 1_000_000 } }] }, { text: 'Done.' }],
      { folder: { limits } },
    );
    const events = await playTurn(scripted.owner, scripted.sessionId);
    const logged = bodies(events, 'toolResultTextDelta')
      .map(delta => delta.text)
      .join('');
    expect(logged.length).toBeLessThan(4_096 + 70_000);
    expect(logged).toContain('is not kept');
    const [end] = bodies(events, 'toolResultEnd');
    expect(resultText(end?.result).length).toBeLessThan(2_048 + 100);
    expect(end?.result?.truncation?.omittedBytes).toBe(1_000_000n - 2_048n);
  });

  it('of a model that makes every mistake ends well, because it sees each of them', async () => {
    const script = await readFile('examples/scripts/bad-calls.yaml', 'utf8');
    await using scripted = await startScriptedGateway([], {
      folder: { scripts: { 'turn.yaml': script.replaceAll('Glob', 'echo').replaceAll('pattern:', 'text:') } },
    });
    const { owner, sessionId } = scripted;
    const events = await playTurn(owner, sessionId);
    const { ERROR, SUCCESS } = Outcome;
    expect(outcomes(events)).toEqual([ERROR, ERROR, ERROR, SUCCESS]);
    const { UNKNOWN_TOOL, INVALID_ARGUMENTS, UNSPECIFIED } = OutcomeReason;
    expect(bodies(events, 'toolCallEnd').map(end => end.reason)).toEqual([
      UNKNOWN_TOOL,
      INVALID_ARGUMENTS,
      INVALID_ARGUMENTS,
      UNSPECIFIED,
    ]);
    expect(resultText(bodies(events, 'toolResultEnd')[0]?.result)).toContain(
      'The tools of this session are:',
    );
    expect(scripted.executor.log.started('echo').length).toBe(1);
    expect(historyProblems(await historyOf(owner, sessionId))).toEqual([]);
  });

  it('of a model without end stops at the limit of the agent', async () => {
    const script = await readFile('examples/scripts/endless.yaml', 'utf8');
    await using scripted = await startScriptedGateway([], {
      agent: { max_iterations: 3 },
      folder: { scripts: { 'turn.yaml': script.replaceAll('Glob', 'echo').replaceAll('pattern:', 'text:') } },
    });
    const { owner, sessionId } = scripted;
    const events = await playTurn(owner, sessionId);
    expect(endOf(events)?.stopReason).toBe(StopReason.MAX_ITERATIONS);
    expect(endOf(events)?.iterations).toBe(3);
    expect(bodies(events, 'iterationsExceeded').map(event => event.maxIterations)).toEqual([3]);
    expect(scripted.executor.log.started('echo').length).toBe(3);
    expect(historyProblems(await historyOf(owner, sessionId))).toEqual([]);
    expect(resultsOf(await historyOf(owner, sessionId)).length).toBe(3);
  });

  it('of an agent with a high limit stops at the limit of the gateway', async () => {
    await using scripted = await startScriptedGateway([{ calls: [{ tool: 'echo' }], repeat: true }], {
      agent: { max_iterations: 900 },
      folder: { limits: { maxIterations: 2 } },
    });
    const events = await playTurn(scripted.owner, scripted.sessionId);
    expect(endOf(events)?.iterations).toBe(2);
  });

  it('whose answer was cut by its length runs no call of it, and goes on', async () => {
    const script = await readFile('examples/scripts/cut.yaml', 'utf8');
    await using scripted = await startScriptedGateway([], {
      folder: { scripts: { 'turn.yaml': script.replaceAll('Write', 'count') } },
    });
    const { owner, sessionId } = scripted;
    const events = await playTurn(owner, sessionId);
    expect(bodies(events, 'modelCallEnd').map(end => end.finish)).toEqual([
      ModelFinish.LENGTH,
      ModelFinish.STOP,
    ]);
    expect(bodies(events, 'toolCallEnd')[0]?.reason).toBe(OutcomeReason.REPLY_CUT);
    expect(scripted.executor.log.entries).toEqual([]);
    expect(endOf(events)?.stopReason).toBe(StopReason.COMPLETED);
    expect(historyProblems(await historyOf(owner, sessionId))).toEqual([]);
  });

  it('whose answer is cut without a call ends with that', async () => {
    await using scripted = await startScriptedGateway([{ text: 'half of', finish: 'length' }]);
    const events = await playTurn(scripted.owner, scripted.sessionId);
    expect(endOf(events)?.stopReason).toBe(StopReason.LENGTH);
  });

  it('whose answer the provider filtered runs no call of it and ends', async () => {
    await using scripted = await startScriptedGateway([
      { text: 'x', calls: [{ tool: 'echo', input: {} }], finish: 'content_filter' },
    ]);
    const { owner, sessionId } = scripted;
    const events = await playTurn(owner, sessionId);
    expect(endOf(events)?.stopReason).toBe(StopReason.CONTENT_FILTER);
    expect(scripted.executor.log.entries).toEqual([]);
    expect(historyProblems(await historyOf(owner, sessionId))).toEqual([]);
  });

  it('whose model breaks off runs no call of it, ends with what went wrong, and the next one works', async () => {
    await using scripted = await startScriptedGateway([], {
      folder: {
        scripts: {
          'turn.yaml': {
            replies: [
              {
                turns: [
                  {
                    text: 'x',
                    calls: [{ tool: 'echo', input: {} }],
                    error: { reason: 'REFUSED', message: 'no' },
                  },
                ],
              },
              { turns: [{ text: 'Better.' }] },
            ],
          },
        },
      },
    });
    const { owner, sessionId } = scripted;
    const events = await playTurn(owner, sessionId);
    expect(endOf(events)?.stopReason).toBe(StopReason.ERROR);
    expect(endOf(events)?.error).toBe('no');
    expect(scripted.executor.log.entries).toEqual([]);
    expect(endOf(await playTurn(owner, sessionId))?.stopReason).toBe(StopReason.COMPLETED);
    expect(historyProblems(await historyOf(owner, sessionId))).toEqual([]);
  });
});
