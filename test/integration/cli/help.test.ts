import { describe, expect, it } from 'vitest';
import { startCli } from './cli-fixture.ts';

/** The commands that a help text lists. */
function commandsOf(help: string): string[] {
  const [, list = ''] = help.split('\nCommands:\n');
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

describe('help', () => {
  it('explains every command', async () => {
    const { stdout } = await startCli(['--help'], {}).end;
    const commands = commandsOf(stdout).filter(name => name !== 'help');
    expect(commands).toContain('watch');
    for (const command of commands) {
      const end = await startCli([command, '--help'], {}).end;
      expect(end).toMatchObject({ exitCode: 0, stderr: '' });
      expect(end.stdout).toContain(`toolgate ${command}`);
    }
  });
});
