import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { PendingCall } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { newSession, playTurn } from '#test/agent-turn.ts';
import { allEvents } from '#test/session-history.ts';
import type { WireRequest } from '#test/wire-server.ts';
import type { CaseStack } from './case-stack.ts';
import type { CaseWorkspace } from './case-workspace.ts';
import { fillWorkspace } from './fill-workspace.ts';
import type { CaseLoop } from './tool-case.ts';

/** What a conversation left behind. */
export interface PlayedLoop {
  readonly events: readonly Event[];
  readonly requests: readonly WireRequest[];
  readonly workspace: CaseWorkspace;
  readonly seconds: number;
}

/** Holds the conversation of a case: the first message, what follows it, and the answers of people. */
export async function playLoop(
  stack: CaseStack,
  loop: CaseLoop,
  setup: Readonly<Record<string, unknown>>,
): Promise<PlayedLoop> {
  const { owner } = stack.gateway;
  const sessionId = await newSession(owner, 'agent');
  const workspace = await stack.place.openWorkspace(sessionId);
  await fillWorkspace(workspace, setup);
  const startedMs = performance.now();
  const onPending = (calls: readonly PendingCall[]) => answerAll(stack, loop, sessionId, calls);
  let turn = playTurn(owner, sessionId, { text: loop.user, onPending });
  for (const step of loop.following) {
    if ('cancel_after_ms' in step) {
      await firstCall(stack, sessionId);
      await sleep(step.cancel_after_ms);
      await owner.sessions.interrupt({ sessionId });
    } else if ('wait_ms' in step) {
      await sleep(step.wait_ms);
    } else {
      await turn;
      turn = playTurn(owner, sessionId, { text: step.user, onPending });
    }
  }
  await turn;
  const seconds = (performance.now() - startedMs) / 1000;
  const events = await allEvents(owner, sessionId);
  return { events, requests: stack.model.requests, workspace, seconds };
}

/** The time to a cancellation counts from the first call, so that a slow machine does not cancel something else. */
async function firstCall({ gateway }: CaseStack, sessionId: string): Promise<void> {
  for await (const { message } of gateway.owner.sessions.watchSession({ sessionId })) {
    if (message.case !== 'event') continue;
    const { case: kind } = message.value.event;
    if (kind === 'toolCallStart' || kind === 'replyEnd') return;
  }
}

async function answerAll(
  { gateway }: CaseStack,
  loop: CaseLoop,
  sessionId: string,
  calls: readonly PendingCall[],
): Promise<void> {
  const providerIds = new Map<string, string>();
  for (const { event } of await allEvents(gateway.owner, sessionId)) {
    if (event.case === 'toolCallStart') providerIds.set(event.value.callId, event.value.providerCallId);
  }
  for (const { callId } of calls) {
    const answer = loop.answers.find(candidate => candidate.call === providerIds.get(callId));
    if (answer === undefined) throw new Error(`the case has no answer to ${providerIds.get(callId)}`);
    await sleep(answer.after_ms);
    const editedArgumentsJson = answer.decision === 'edit' ? JSON.stringify(answer.input ?? {}) : '';
    await gateway.owner.sessions.resolve({
      sessionId,
      answers: [
        {
          callId,
          answer:
            answer.decision === 'deny'
              ? { case: 'deny', value: { reason: answer.reason } }
              : { case: 'allow', value: { editedArgumentsJson } },
        },
      ],
    });
  }
}
