import { expect } from 'vitest';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { PendingAnswer, PendingCall } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { playTurn } from '#test/agent-turn.ts';
import type { ScriptedGateway } from '#test/scripted-gateway.ts';
import { historyOf, historyProblems } from '#test/session-history.ts';

type AnswerCase = PendingAnswer['answer'] extends infer Case ? Case : never;
/** An answer as a test writes it. */
export interface Answer {
  readonly case: NonNullable<AnswerCase['case']>;
  readonly value: object | string;
}

/** A turn whose only call asks, and a second one that the model makes after it. */
export function askingTurns(
  calls: object[] = [{ tool: 'append', id: 'first', input: { line: 'x' } }],
): object[] {
  return [...calls.map(call => ({ calls: [call] })), { text: 'Done.' }];
}

/** Answers one call as the owner. */
export function resolve({ owner, sessionId }: ScriptedGateway, callId: string, answer: Answer) {
  const answers = [{ callId, answer }] as Parameters<typeof owner.sessions.resolve>[0]['answers'];
  return owner.sessions.resolve({ sessionId, answers: answers ?? [] });
}

/** Plays the turn and answers everything that waits the same way. */
export async function answered(
  scripted: ScriptedGateway,
  answer: (call: PendingCall) => Answer,
): Promise<{ events: Event[]; statuses: ResolveStatus[]; messages: string[] }> {
  const statuses: ResolveStatus[] = [];
  const messages: string[] = [];
  const events = await playTurn(scripted.owner, scripted.sessionId, {
    onPending: async calls => {
      for (const call of calls) {
        const { results } = await resolve(scripted, call.callId, answer(call));
        statuses.push(...results.map(result => result.status));
        messages.push(...results.map(result => result.message));
      }
    },
  });
  expect(historyProblems(await historyOf(scripted.owner, scripted.sessionId))).toEqual([]);
  return { events, statuses, messages };
}

/** Lets a call run. */
export const allow = (value: object = {}): Answer => ({ case: 'allow', value });
/** Lets a call run with other arguments. */
export const edit = (input: object): Answer => allow({ editedArgumentsJson: JSON.stringify(input) });
