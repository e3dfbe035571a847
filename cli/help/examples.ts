/** The end of a command's help: each example with what it is for. */
export function examples(...pairs: readonly (readonly [command: string, purpose: string])[]): string {
  const lines = pairs.map(([command, purpose]) => `  # ${purpose}\n  ${command}`);
  return `\nExamples:\n${lines.join('\n')}`;
}
