import { setTimeout as sleep } from 'node:timers/promises';
import type { CliIo } from '../cli-io.ts';

/** What the terminal has kept arrives at once; this leaves room for a busy machine. */
const DRAIN_MS = 30;
const CTRL_C = 0x03;

/**
 * Drops what was typed before a question was shown, so that no key approves a call that nobody has read. A Ctrl-C
 * among it still counts.
 */
export async function discardTypedAhead(io: CliIo, signal: AbortSignal): Promise<void> {
  const { stdin } = io;
  const drop = (chunk: Buffer | string): void => {
    if (Buffer.from(chunk).includes(CTRL_C)) io.interrupts.trigger();
  };
  // The terminal hands out an unfinished line only in raw mode.
  stdin.setRawMode?.(true);
  stdin.on('data', drop);
  stdin.resume();
  try {
    await sleep(DRAIN_MS, undefined, { signal });
  } finally {
    stdin.off('data', drop);
    stdin.pause();
    stdin.setRawMode?.(false);
  }
}
