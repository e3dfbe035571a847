import { createInterface } from 'node:readline/promises';
import type { PendingCall } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { CliIo } from '../cli-io.ts';
import { CommandFailure } from '../command-failure.ts';
import { escapeInJson } from '../render/escape-untrusted.ts';
import { discardTypedAhead } from './discard-typed-ahead.ts';
import { type CallAnswer, suggestionNumber } from './resolve-call.ts';

/**
 * Asks the person at the terminal about a call that was shown just before. Rejects when the signal is aborted, and with
 * a CommandFailure when the person ends the input instead of answering.
 */
export async function askInline(call: PendingCall, io: CliIo, signal: AbortSignal): Promise<CallAnswer> {
  await discardTypedAhead(io, signal);
  const lines = createInterface({ input: io.stdin, output: io.stdout });
  const left = new AbortController();
  lines.once('close', () => left.abort());
  // Readline takes Ctrl-C for itself while it asks.
  lines.on('SIGINT', io.interrupts.trigger);
  const isOver = AbortSignal.any([signal, left.signal]);
  try {
    const ask = (question: string): Promise<string> => lines.question(question, { signal: isOver });
    while (true) {
      const answer = await readAnswer(call, ask, text => lines.write(text));
      if (answer !== undefined) return answer;
      io.stdout.write('Please answer with one of the letters or numbers in brackets.\n');
    }
  } catch (error) {
    if (signal.aborted || !left.signal.aborted) throw error;
    throw new CommandFailure('\nNothing was answered.');
  } finally {
    lines.close();
  }
}

async function readAnswer(
  call: PendingCall,
  ask: (question: string) => Promise<string>,
  prefill: (text: string) => void,
): Promise<CallAnswer | undefined> {
  const suggestions = call.decision?.suggestions.length ?? 0;
  const remember =
    suggestions === 0 ? '' : `, [1${suggestions > 1 ? `-${suggestions}` : ''}] allow and remember`;
  const typed = (await ask(`[y] allow once${remember}, [e] edit, [n] deny: `)).trim().toLowerCase();
  if (typed === 'y') return { kind: 'allow' };
  if (typed === 'n') return { kind: 'deny', reason: (await ask('Reason, for the model: ')).trim() };
  if (typed === 'e') {
    const editing = ask('Arguments: ');
    prefill(escapeInJson(call.argumentsJson));
    return { kind: 'allow', editedArgumentsJson: await editing };
  }
  const number = Number(typed);
  if (!Number.isInteger(number) || number < 1 || number > suggestions) return undefined;
  return { kind: 'allow', remember: suggestionNumber(call, number) };
}
