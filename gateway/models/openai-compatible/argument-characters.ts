import { wireObject, wireObjects } from '../language-model/wire-format.ts';

/** Characters of tool arguments in one repaired chunk. */
export function argumentCharacters(event: unknown): number {
  const [choice] = wireObjects(wireObject(event)['choices']);
  const pieces = wireObjects(wireObject(choice?.['delta'])['tool_calls']);
  return pieces.reduce((sum, piece) => {
    const text = wireObject(piece['function'])['arguments'];
    return sum + (typeof text === 'string' ? text.length : 0);
  }, 0);
}
