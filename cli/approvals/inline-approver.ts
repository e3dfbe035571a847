import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type PendingCall, PendingKind } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { ResolveStatus } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { rpcFailure } from '../client/rpc-failure.ts';
import type { CommandContext } from '../command-context.ts';
import { askInline } from './ask-inline.ts';
import { resolveCall, resolveResultText } from './resolve-call.ts';

/**
 * Answers approvals of one session as its events come. Disposing takes open questions back and gives the terminal free.
 */
export interface InlineApprover extends AsyncDisposable {
  /** Takes an open question back when the event says that somebody else has answered. */
  beforeShow(event: Event): void;
  onEvent(event: Event): void;
}

/**
 * Asks at the terminal, one call after the other; an answer given elsewhere meanwhile ends the question. Without a
 * terminal it says how to answer from elsewhere.
 */
export function createInlineApprover(
  context: CommandContext,
  client: GatewayClient,
  sessionId: string,
): InlineApprover {
  const { io } = context;
  const isAttended = !context.isJson && io.stdin.isTTY === true && io.stdout.isTTY === true;
  const questions = new Map<string, AbortController>();
  let queue = Promise.resolve();
  let askedCallId = '';
  const answer = async (call: PendingCall, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return;
    try {
      askedCallId = call.callId;
      const given = await askInline(call, io, signal).finally(() => {
        askedCallId = '';
      });
      const result = await resolveCall(client, sessionId, call.callId, given, signal);
      if (result.status !== ResolveStatus.ACCEPTED) io.stdout.write(`${resolveResultText(result)}\n`);
    } catch (error) {
      if (signal.aborted) return;
      const failure = rpcFailure(error, client.address);
      io.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n${elsewhere(call)}`);
    }
  };
  return {
    beforeShow: ({ event }) => {
      if (event.case !== 'confirmationAnswered') return;
      const callId = event.value.answer?.callId ?? '';
      if (callId === askedCallId) io.stdout.write('\n');
      questions.get(callId)?.abort();
    },
    onEvent: ({ event }) => {
      if (event.case !== 'confirmationRequired') return;
      for (const call of event.value.calls.filter(({ kind }) => kind === PendingKind.PERMISSION)) {
        if (!isAttended) io.stderr.write(elsewhere(call));
        else {
          const question = new AbortController();
          questions.set(call.callId, question);
          const signal = AbortSignal.any([question.signal, io.interrupts.signal]);
          queue = queue.then(() => answer(call, signal));
        }
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const question of questions.values()) question.abort();
      await queue;
    },
  };
}

function elsewhere(call: PendingCall): string {
  return `The reply waits. Answer from another terminal:\n  toolgate approve ${call.callId}\n  toolgate deny ${call.callId} --reason "…"\n`;
}
