import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** Gives a command its context, and its exit code to the process. */
export type Perform = (command: Command, work: (context: CommandContext) => Promise<number>) => Promise<void>;
