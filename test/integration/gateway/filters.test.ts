import { describe, expect, it } from 'vitest';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { bodies, callTool, playTurn, resultText } from '#test/agent-turn.ts';
import { codeOf, messageOf } from '#test/code-of.ts';
import { type ScriptedGateway, startScriptedGateway } from '#test/scripted-gateway.ts';

const turns = [
  {
    calls: [
      { tool: 'echo', input: { text: 'x' } },
      { tool: 'say', input: { text: 'y' } },
    ],
  },
  { text: 'Done.' },
];

async function sessionWith({ owner }: ScriptedGateway, toolFilter: object): Promise<string> {
  const { session } = await owner.sessions.createSession({
    agent: { case: 'agentName', value: 'agent' },
    toolFilter,
  });
  return session?.sessionId ?? '';
}

async function listed({ owner }: ScriptedGateway, sessionId: string): Promise<(string | undefined)[]> {
  return (await owner.tools.listTools({ sessionId })).tools.map(tool => tool.spec?.name);
}

describe('a tool that a filter hides', () => {
  it.each([
    ['by a deny list', { deny: ['echo'] }],
    ['by a deny list with its alias', { deny: ['say'] }],
    ['by an allow list without it', { allow: { names: ['sleep'] } }],
    ['by an empty allow list', { allow: { names: [] } }],
    ['by a deny list, though it is allowed', { allow: { names: ['echo', 'sleep'] }, deny: ['echo'] }],
    ['by a deny list of everything', { deny: ['*'] }],
  ])('%s is in no list and unknown under every name', async (_name, filter) => {
    await using scripted = await startScriptedGateway(turns);
    const sessionId = await sessionWith(scripted, filter);
    expect(await listed(scripted, sessionId)).not.toContain('echo');
    const events = await playTurn(scripted.owner, sessionId);
    const ends = bodies(events, 'toolCallEnd');
    expect(ends.map(end => [end.outcome, end.reason])).toEqual([
      [Outcome.ERROR, OutcomeReason.UNKNOWN_TOOL],
      [Outcome.ERROR, OutcomeReason.UNKNOWN_TOOL],
    ]);
    expect(resultText(bodies(events, 'toolResultEnd')[0]?.result)).not.toMatch(/are:.*echo/);
    for (const toolName of ['echo', 'say']) {
      expect(await codeOf(callTool(scripted.owner, { sessionId, toolName }))).toBe('NotFound');
      expect(await codeOf(scripted.owner.permissions.explain({ sessionId, toolName }))).toBe(
        'InvalidArgument',
      );
    }
    expect(scripted.executor.log.entries).toEqual([]);
  });

  it('of its agent stays hidden whatever the session asks for', async () => {
    await using scripted = await startScriptedGateway(turns, { agent: { tools: { deny: ['echo'] } } });
    const sessionId = await sessionWith(scripted, { allow: { names: ['echo', 'sleep'] } });
    expect(await listed(scripted, sessionId)).toEqual(['sleep']);
  });
});

describe('filters', () => {
  it('leave nothing visible with an empty allow list, and everything without one', async () => {
    await using scripted = await startScriptedGateway(turns);
    expect(await listed(scripted, await sessionWith(scripted, { allow: { names: [] } }))).toEqual([]);
    const all = await listed(scripted, await sessionWith(scripted, {}));
    expect(all).toContain('echo');
    expect(all).toContain('TodoWrite');
    expect(all).toEqual([...all].sort());
  });

  it('that deny a name no tool has are refused, since they would hide nothing', async () => {
    await using scripted = await startScriptedGateway(turns);
    const create = scripted.owner.sessions.createSession({
      agent: { case: 'agentName', value: 'agent' },
      toolFilter: { deny: ['ehco'] },
    });
    expect(await messageOf(create)).toMatch(/ehco.*known: .*echo/);
    expect(await codeOf(create)).toBe('InvalidArgument');
  });

  it('that allow a name no tool has show nothing more for it', async () => {
    await using scripted = await startScriptedGateway(turns);
    const sessionId = await sessionWith(scripted, { allow: { names: ['later', 'echo'] } });
    expect(await listed(scripted, sessionId)).toEqual(['echo']);
  });
});
