import { CommandFailure, EXIT_CODES } from '../command-failure.ts';

/** The text when it is a JSON object, untouched: large numbers and repeated keys reach the gateway as they were typed. */
export function argumentsObject(json: string): string {
  let problem = 'it is no object';
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return json;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  throw new CommandFailure(
    `The arguments must be a JSON object like '{"command": "ls"}': ${problem}.`,
    EXIT_CODES.usage,
  );
}
