import { createInterface, type Interface } from 'node:readline';
import type { CliIo } from '../cli-io.ts';
import type { TextStyle } from '../render/text-style.ts';
import type { LineHistory } from './line-history.ts';

/** What a person did at the prompt. */
export type Typed =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'left'; readonly byInterrupt: boolean };

/** What the prompt works with. */
export interface PromptOptions {
  readonly io: CliIo;
  readonly style: TextStyle;
  readonly history: LineHistory;
}

/**
 * Reads one message at the prompt. A line that ends with "\" goes on in the next; lines that were pasted together are
 * one message. Ctrl-C clears what was typed, and leaves when nothing is there and it is pressed twice; Ctrl-D leaves.
 */
export function readMessage({ io, style, history }: PromptOptions): Promise<Typed> {
  const first = style(['cyan', 'bold'], '> ');
  const lines = createInterface({
    input: io.stdin,
    output: io.stdout,
    prompt: first,
    history: [...history.lines],
    historySize: history.lines.length + 1,
    removeHistoryDuplicates: true,
  });
  const { promise, resolve } = Promise.withResolvers<Typed>();
  const typed: string[] = [];
  let isWarned = false;
  const end = (how: Typed): void => {
    io.interrupts.signal.removeEventListener('abort', interrupted);
    resolve(how);
    lines.close();
  };
  const interrupted = (): void => end({ kind: 'left', byInterrupt: true });
  const finish = (): void => {
    // The end of a paste may still stand in the line; it becomes part of the message when it is sent.
    if (lines.line === '' && typed.length > 0) end({ kind: 'message', text: typed.join('\n') });
  };
  io.interrupts.signal.addEventListener('abort', interrupted, { once: true });
  lines.on('line', line => {
    isWarned = false;
    history.add(line);
    typed.push(line.replace(/\\$/, ''));
    if (line.endsWith('\\')) {
      lines.setPrompt(style('dim', '… '));
      lines.prompt();
    } else setImmediate(finish);
  });
  lines.on('SIGINT', () => {
    if (isWarned) return interrupted();
    isWarned = lines.line === '' && typed.length === 0;
    typed.length = 0;
    clearLine(lines);
    io.stdout.write(isWarned ? '\nCtrl-C again leaves, and so does Ctrl-D.\n' : '^C\n');
    lines.setPrompt(first);
    lines.prompt();
  });
  lines.once('close', () => end({ kind: 'left', byInterrupt: false }));
  if (io.interrupts.signal.aborted) interrupted();
  else lines.prompt();
  return promise;
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
}
