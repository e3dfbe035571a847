import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { Reply } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { createEventOutput } from '../render/event-output.ts';
import { followReply } from './follow-events.ts';
import type { GatewayClient } from './gateway-client.ts';

/** A gateway that restarts is back well within this time. */
const PATIENCE_MS = 60_000;

/** One reply that a command follows to its end. */
export interface ReplyTurn {
  readonly context: CommandContext;
  readonly client: GatewayClient;
  readonly sessionId: string;
  /** Begins the reply; leaving its stream changes nothing. */
  readonly begin: (signal: AbortSignal) => AsyncIterable<Event>;
  /** Sees each event before it is shown. */
  readonly beforeShow?: (event: Event) => void;
  /** Sees each event after it was shown. */
  readonly onEvent: (event: Event) => void;
}

/** How the turn ended. */
export interface TurnEnd {
  /** True when Ctrl-C asked the reply to stop. */
  readonly wasInterrupted: boolean;
  /** The reply as it ended; undefined when nobody saw its end. */
  readonly reply: Reply | undefined;
  /** How its last call ended. */
  readonly outcome: Outcome;
}

/** Shows the events of a reply to its end. Ctrl-C asks the reply to stop; a second one leaves it alone and returns. */
export async function followTurn(turn: ReplyTurn): Promise<TurnEnd> {
  const { context, client, sessionId } = turn;
  const { interrupts } = context.io;
  const output = createEventOutput(context);
  let wasInterrupted = false;
  using _ = interrupts.handleNext(() => {
    wasInterrupted = true;
    output.endLine();
    // A terminal shows Ctrl-C where the cursor is, maybe behind a question.
    if (context.io.stdout.isTTY === true) context.io.stderr.write('\n');
    context.io.stderr.write('Stopping the reply; Ctrl-C again leaves at once.\n');
    client.sessions
      .interrupt({ sessionId, reason: 'interrupted at the command line' })
      .catch(interrupts.trigger);
  });
  const events = followReply({
    client,
    sessionId,
    signal: interrupts.signal,
    patienceMs: PATIENCE_MS,
    onLoss: output.connectionLost,
    begin: turn.begin,
  });
  let reply: Reply | undefined;
  let outcome: Outcome = Outcome.UNSPECIFIED;
  for await (const event of events) {
    turn.beforeShow?.(event);
    output.show(event);
    turn.onEvent(event);
    if (event.event.case === 'toolCallEnd') outcome = event.event.value.outcome;
    if (event.event.case === 'replyEnd') reply = event.event.value.reply;
  }
  return { wasInterrupted, reply, outcome };
}
