import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { MessageRole } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { allowing, bodies, newSession, playTurn } from '#test/agent-turn.ts';
import type { GatewayClients } from '#test/gateway-clients.ts';
import { createGatewayFolder } from '#test/gateway-folder.ts';
import type { RunLog } from '#test/run-log.ts';
import { allEvents, historyOf, historyProblems } from '#test/session-history.ts';
import { startTestExecutor, type TestExecutor } from '#test/test-executor.ts';
import { exitOfGateway, startGatewayOn, startGatewayProcess } from '#test/test-gateway.ts';

type Moment = 'before' | 'after';
/** Plays the turn in one life of the gateway, to its end or to the end of that life. */
type Play = (clients: GatewayClients, sessionId: string, log: RunLog) => Promise<Event[]>;

interface Scenario {
  readonly turns: readonly object[];
  readonly play: Play;
}

const main = fileURLToPath(new URL('../../support/crashing-gateway-main.ts', import.meta.url));
/** More commits than any of these turns makes. */
const MOST_COMMITS = 60;
/** Crashes that are tried at the same time, each on a gateway and an executor of its own. */
const AT_ONCE = 3;

/** A turn with one call that asks, one that is allowed by a rule, and one that only reads. */
const approvedTurn: Scenario = {
  turns: [
    {
      text: 'I do three things.',
      calls: [
        { tool: 'append', id: 'append', input: { line: 'x', ms: 5 } },
        { tool: 'count', id: 'count', input: { ms: 5 } },
        { tool: 'echo', id: 'echo', input: { text: 'y' } },
      ],
    },
    { text: 'All is done.' },
  ],
  play: (clients, sessionId) =>
    playTurn(clients, sessionId, { requestId: 'once', onPending: allowing(clients, sessionId) }),
};

/** A turn that is interrupted while its call runs, in whichever life that is. */
const interruptedTurn: Scenario = {
  turns: [{ calls: [{ tool: 'count', id: 'count', input: { ms: 60_000 } }] }, { text: 'It went on.' }],
  play: async (clients, sessionId, log) => {
    const turn = playTurn(clients, sessionId, { requestId: 'once' });
    await Promise.race([turn, log.until('started', 'count')]);
    await Promise.all([clients.sessions.interrupt({ sessionId }), turn]);
    return turn;
  },
};

/** Kills the gateway at one commit, lets the next one finish the turn, and checks what is left. */
async function crashAt(moment: Moment, commit: number, { turns, play }: Scenario) {
  await using executor = await startTestExecutor();
  await using folder = await createGatewayFolder({
    executors: [executor],
    agents: { agent: { model: 'script:turn.yaml' } },
    scripts: { 'turn.yaml': { turns } },
    rules: [{ tool: 'count', behavior: 'allow' }],
  });
  await using first = await startGatewayProcess(folder, { main, args: [moment, String(commit)] });
  const sessionId = await newSession(first.owner, 'agent');
  const survived = await play(first.owner, sessionId, executor.log).then(
    () => true,
    () => false,
  );
  if (survived) return 'survived';
  expect(await exitOfGateway(first)).toBe('SIGKILL');
  await using second = await startGatewayOn(folder);
  const events = await play(second.owner, sessionId, executor.log);
  await checkTurn(second.owner, sessionId, events, executor);
  return 'crashed';
}

async function checkTurn(
  clients: GatewayClients,
  sessionId: string,
  events: readonly Event[],
  { log }: TestExecutor,
): Promise<void> {
  const logged = await allEvents(clients, sessionId);
  expect(logged.map(event => Number(event.sequence))).toEqual(logged.map((_, index) => index + 1));
  expect(events).toEqual(logged);
  expect(bodies(logged, 'replyStart').length).toBe(1);
  expect(bodies(logged, 'replyEnd').length).toBe(1);

  const history = await historyOf(clients, sessionId);
  expect(historyProblems(history)).toEqual([]);
  expect(history.filter(message => message.role === MessageRole.USER).length).toBe(1);

  const started = bodies(logged, 'toolCallStart').map(call => call.callId);
  expect(
    bodies(logged, 'toolCallEnd')
      .map(end => end.callId)
      .sort(),
  ).toEqual([...started].sort());
  expect(
    bodies(logged, 'toolResultEnd')
      .map(end => end.callId)
      .sort(),
  ).toEqual([...started].sort());

  for (const tool of ['append', 'count', 'echo']) expect(log.started(tool).length).toBeLessThanOrEqual(1);
  const ran = new Set(log.entries.map(entry => entry.callId));
  for (const { callId, outcome } of bodies(logged, 'toolCallEnd')) {
    // Every run is known to the executor, so only a call that never reached it can be in doubt.
    if (outcome === Outcome.UNKNOWN) expect(ran.has(callId)).toBe(false);
    if (outcome === Outcome.SUCCESS) expect(ran.has(callId)).toBe(true);
  }
  const { session } = await clients.sessions.getSession({ sessionId });
  expect(session?.activeReply).toBeUndefined();
  expect(session?.pending).toEqual([]);
}

describe('a gateway that is killed', () => {
  it.each<[Moment, string, Scenario]>([
    ['before', 'a turn with an approval and three calls', approvedTurn],
    ['after', 'a turn with an approval and three calls', approvedTurn],
    ['before', 'an interrupted turn', interruptedTurn],
    ['after', 'an interrupted turn', interruptedTurn],
  ])(
    'right %s any commit of %s ends it with one result a call and runs nothing twice',
    async (moment, _name, scenario) => {
      let crashes = 0;
      for (let outcomes: string[] = []; crashes < MOST_COMMITS && !outcomes.includes('survived'); ) {
        const batch = Array.from({ length: AT_ONCE }, (_, index) => crashes + index + 1);
        outcomes = await Promise.all(batch.map(commit => crashAt(moment, commit, scenario)));
        crashes += outcomes.filter(outcome => outcome === 'crashed').length;
      }
      expect(crashes).toBeGreaterThan(5);
      expect(crashes).toBeLessThan(MOST_COMMITS);
    },
    240_000,
  );
});
