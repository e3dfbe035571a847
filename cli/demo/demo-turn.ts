import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { PendingKind, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { resolveCall } from '../approvals/resolve-call.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { messageContent } from '../client/message-content.ts';
import { messageEvents } from '../client/reply-events.ts';
import { followTurn } from '../client/reply-turn.ts';
import { rpcFailure } from '../client/rpc-failure.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';

const AGENT = 'analyst';
const FILE = join('examples', 'data', 'orders.csv');
/** Time the session may take to go; what is left of it after that goes with the executor. */
const DELETE_TIMEOUT_MS = 15_000;
const QUESTION = 'What is the total revenue in this table, without cancelled orders?';

/**
 * Lets the example agent work on a real file. The message is sent with the agent token, which may not approve; what
 * the reply asks for is approved with the owner's token, and said so.
 */
export async function runDemoTurn(context: CommandContext, address: string): Promise<number> {
  const { io, folder, style } = context;
  using client = context.connect({ address, tokenFile: folder.tokens.agent });
  using approver = context.connect({ address, tokenFile: folder.tokens.owner });
  const { signal } = io.interrupts;
  const { session } = await client.sessions.createSession(
    { agent: { case: 'agentName', value: AGENT }, labels: { demo: 'npm start' } },
    { signal },
  );
  if (session === undefined) throw new CommandFailure('The gateway created no session.');
  const { sessionId } = session;
  await using _ = sessionOfDemo(client, sessionId);
  context.say(`\n${style('bold', `Demo: ${QUESTION}`)} ${style('dim', `(${FILE}, agent ${AGENT})`)}`);
  const failures: unknown[] = [];
  const { reply, wasInterrupted } = await followTurn({
    context,
    client,
    sessionId,
    begin: inner =>
      messageEvents(
        client,
        {
          sessionId,
          content: messageContent(QUESTION, [FILE], io.projectFolder),
          requestId: randomUUID(),
        },
        inner,
      ),
    onEvent: event => {
      approve(context, approver, event).catch(error => {
        failures.push(error);
        return client.sessions.interrupt({ sessionId, reason: 'the demo could not approve a call' });
      });
    },
  });
  if (failures.length > 0) throw rpcFailure(failures[0], address);
  if (wasInterrupted) return EXIT_CODES.interrupted;
  return reply?.stopReason === StopReason.COMPLETED ? EXIT_CODES.ok : EXIT_CODES.failed;
}

/** Deletes the session, with its container and volume, so that starting again and again leaves nothing behind. */
function sessionOfDemo({ sessions }: GatewayClient, sessionId: string): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      await sessions.deleteSession({ sessionId }, { timeoutMs: DELETE_TIMEOUT_MS }).catch(() => undefined);
    },
  };
}

async function approve(context: CommandContext, approver: GatewayClient, event: Event): Promise<void> {
  if (event.event.case !== 'confirmationRequired') return;
  context.say(context.style('yellow', '  The demo approves this with the token of the owner.'));
  for (const call of event.event.value.calls.filter(({ kind }) => kind === PendingKind.PERMISSION)) {
    await resolveCall(
      approver,
      event.sessionId,
      call.callId,
      { kind: 'allow' },
      context.io.interrupts.signal,
    );
  }
}
