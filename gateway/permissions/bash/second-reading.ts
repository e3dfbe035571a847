import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';
import { guessCommands } from './guessed-commands.ts';
import type { SimpleCommand } from './simple-command.ts';

/** What another parser found in a script. */
export interface SecondReading {
  /** Each command at any depth: where its name begins and where it ends, as indices into the script. */
  readonly commands: readonly { readonly start: number; readonly end: number }[];
  /** False when the parser had to skip something. */
  readonly isComplete: boolean;
}

/** Another parser of Bash; gives undefined for a script that it cannot cope with. */
export type SecondParser = (script: string) => SecondReading | undefined;

/** How the two readings of one script differ. */
export interface Disagreement {
  /** Commands that only the second parser found. */
  readonly missed: readonly SimpleCommand[];
}

/** Holds the second reading against the tree; undefined when both found the same commands. */
export function compareReadings(
  script: string,
  tree: ParsedScript,
  reading: SecondReading | undefined,
): Disagreement | undefined {
  if (reading === undefined) return { missed: [] };
  const starts = commandStarts(tree);
  if (starts === undefined) return { missed: [] };
  const missed = reading.commands.filter(({ start }) => !starts.has(start));
  if (reading.isComplete && missed.length === 0 && starts.size === reading.commands.length) return undefined;
  return {
    missed: missed
      .slice(0, mostMissed)
      .flatMap(({ start, end }) => guessCommands(script.slice(start, Math.min(end, start + longestMissed)))),
  };
}

// Beyond these nobody writes a command that only one parser can see; without an end, nesting would cost its square.
const mostMissed = 200;
const longestMissed = 1_000;
const deepestNode = 150;

function commandStarts(tree: ParsedScript): Set<number> | undefined {
  const starts = new Set<number>();
  const pending: { node: SyntaxNode; level: number }[] = [{ node: tree, level: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, level } = next;
    if (level > deepestNode) return undefined;
    if (node.type === 'Command' && node.name !== undefined) starts.add(node.name.pos);
    forEachChild(node, child => pending.push({ node: child, level: level + 1 }));
  }
  return starts;
}
