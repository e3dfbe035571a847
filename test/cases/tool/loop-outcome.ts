import { bodies } from '#test/agent-turn.ts';
import type { PlayedLoop } from './play-loop.ts';

/** What a conversation came to, as expectations speak of it. */
export interface LoopOutcome {
  /** Calls that ran, with their last arguments, in call order. */
  readonly executed: readonly { readonly tool: string; readonly input: unknown }[];
  readonly finalText: string;
  readonly usage: { readonly input: number; readonly output: number };
  readonly error: string;
  readonly askedCount: number;
}

/** Reads it from the events. */
export function loopOutcome({ events }: PlayedLoop): LoopOutcome {
  const ran = new Set(bodies(events, 'toolResultStart').map(start => start.callId));
  const inputs = new Map(
    bodies(events, 'toolCallDecided').map(decided => [decided.callId, decided.argumentsJson]),
  );
  const replies = bodies(events, 'replyEnd').map(end => end.reply);
  const lastAnswer = events.findLastIndex(({ event }) => event.case === 'modelCallStart');
  return {
    executed: bodies(events, 'toolCallStart')
      .filter(call => ran.has(call.callId))
      .map(call => ({ tool: call.toolName, input: JSON.parse(inputs.get(call.callId) || '{}') })),
    finalText: bodies(events.slice(lastAnswer), 'textBlockDelta')
      .map(delta => delta.text)
      .join(''),
    usage: {
      input: replies.reduce((sum, reply) => sum + Number(reply?.usage?.inputTokens ?? 0n), 0),
      output: replies.reduce((sum, reply) => sum + Number(reply?.usage?.outputTokens ?? 0n), 0),
    },
    error: replies.map(reply => reply?.error ?? '').join('\n'),
    askedCount: bodies(events, 'confirmationRequired').flatMap(required => required.calls).length,
  };
}
