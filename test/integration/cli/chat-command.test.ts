import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliFixture, startCliFixture } from './cli-fixture.ts';
import { type PtyCli, startPtyCli } from './pty-terminal.ts';

const TODO = { tool: 'TodoWrite', id: 'plan', input: { todos: [] } };
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const UP = '\u001b[A';

describe('toolgate chat at a terminal', () => {
  let fixture: CliFixture;

  beforeAll(async () => {
    fixture = await startCliFixture({
      scripts: {
        echo: { description: 'Says it again.', turns: [{ text: 'You said: {{user}}.' }] },
        planner: { description: 'Plans.', turns: [{ text: 'I plan.', calls: [TODO] }, { text: 'Planned.' }] },
      },
      rules: [{ tool: 'TodoWrite', behavior: 'ask' }],
    });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  function chat(...args: string[]): PtyCli {
    return startPtyCli(['--data', fixture.dataFolder, 'chat', ...args], {
      TOOLGATE_ADDRESS: fixture.address,
    });
  }

  it('answers one message after the other, and leaves the session behind', async () => {
    await using terminal = chat('--agent', 'echo');
    await terminal.shows('with agent echo');
    await terminal.shows('> ');
    terminal.type('good morning\r');
    await terminal.shows('You said: good morning.');
    await terminal.shows('Reply completed');
    await terminal.shows('> ');
    terminal.type('good night\r');
    await terminal.shows('You said: good night.');
    await terminal.shows('> ');
    terminal.type(CTRL_D);
    await terminal.shows('Go on with: toolgate chat --session ses_');
    expect(await terminal.exitCode).toBe(0);
  });

  it('asks about a call in between', async () => {
    await using terminal = chat('--agent', 'planner');
    await terminal.shows('> ');
    terminal.type('go\r');
    await terminal.shows('TodoWrite wants to run');
    await terminal.shows('[n] deny: ');
    terminal.type('y\r');
    await terminal.shows('approved by owner');
    await terminal.shows('Planned.');
    await terminal.shows('> ');
    terminal.type('/exit\r');
    expect(await terminal.exitCode).toBe(0);
  });

  it('stops a reply at Ctrl-C and goes on', async () => {
    await using terminal = chat('--agent', 'planner');
    await terminal.shows('> ');
    terminal.type('go\r');
    await terminal.shows('[n] deny: ');
    terminal.type(CTRL_C);
    await terminal.shows('Stopping the reply; Ctrl-C again leaves at once.');
    await terminal.shows('Reply interrupted');
    await terminal.shows('> ');
    terminal.type('again\r');
    await terminal.shows('[n] deny: ');
    terminal.type('n\r');
    await terminal.shows('Reason');
    terminal.type('no\r');
    await terminal.shows('denied by owner: no');
    await terminal.shows('> ');
    terminal.type(CTRL_D);
    expect(await terminal.exitCode).toBe(0);
  });

  it('leaves at the second Ctrl-C while a reply waits, and says how to go on', async () => {
    const running = fixture.start(['chat', '--agent', 'planner'], { isTerminal: true });
    await running.shows('> ');
    running.type('go\n');
    await running.shows('[n] deny: ');
    running.interrupts.trigger();
    running.interrupts.trigger();
    const end = await running.end;
    expect(end.exitCode).toBe(130);
    expect(end.stdout).toContain('Go on with: toolgate chat --session ses_');
  });

  it('clears the line at Ctrl-C, and leaves at the second one on an empty line', async () => {
    await using terminal = chat('--agent', 'echo');
    await terminal.shows('> ');
    terminal.type('half a');
    await terminal.shows('half a');
    terminal.type(CTRL_C);
    await terminal.shows('> ');
    terminal.type(CTRL_C);
    await terminal.shows('Ctrl-C again leaves');
    terminal.type(CTRL_C);
    await terminal.shows('Go on with');
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.screen()).not.toContain('You said');
  });

  it('keeps the lines for the next chat, readable by nobody else', async () => {
    const path = join(fixture.dataFolder, 'chat-history');
    await writeFile(path, 'an old line\n', { mode: 0o644 });
    await using first = chat('--agent', 'echo');
    await first.shows('> ');
    first.type('a new line\r');
    await first.shows('Reply completed');
    await first.shows('> ');
    first.type(' a secret line\r');
    await first.shows('Reply completed');
    await first.shows('> ');
    first.type(CTRL_D);
    await first.exitCode;
    expect(await readFile(path, 'utf8')).toBe('an old line\na new line\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await using second = chat('--agent', 'echo');
    await second.shows('> ');
    second.type(UP);
    await second.shows('a new line');
    second.type(UP);
    await second.shows('an old line');
    second.type('\r');
    await second.shows('You said: an old line.');
  });

  it('sends lines that were pasted together, or joined by a backslash, as one message', async () => {
    await using terminal = chat('--agent', 'echo');
    await terminal.shows('> ');
    terminal.type('one\rtwo\rthree');
    await terminal.shows('three');
    terminal.type('\r');
    await terminal.shows('You said: one\ntwo\nthree.');
    await terminal.shows('> ');
    terminal.type('four\\\r');
    await terminal.shows('… ');
    terminal.type('five\r');
    await terminal.shows('You said: four\nfive.');
  });

  it('goes on with a session whose call still waits for a permission', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'plan it']);
    await running.shows('toolgate approve');
    const { stdout } = await fixture.run(['--json', 'sessions', '--limit', '1']);
    const { sessionId } = JSON.parse(stdout.split('\n', 1)[0] ?? '');
    await using terminal = chat('--session', sessionId);
    await terminal.shows('> plan it');
    await terminal.shows('I plan.');
    await terminal.shows('[n] deny: ');
    terminal.type('y\r');
    await terminal.shows('Planned.');
    await terminal.shows('Reply completed');
    await terminal.shows('> ');
    expect(await running.end).toMatchObject({ exitCode: 0 });
    terminal.type(CTRL_D);
    expect(await terminal.exitCode).toBe(0);
  });

  it('shows what was said last when it goes on', async () => {
    const run = await fixture.run(['run', '--agent', 'echo', 'good evening']);
    await using terminal = chat('--session', /Session (\S+)/.exec(run.stdout)?.[1] ?? '');
    await terminal.shows('> good evening\nYou said: good evening.\n> ');
  });

  it('has commands, and says which when one does not exist', async () => {
    const file = join(fixture.dataFolder, 'table.csv');
    await writeFile(file, 'a,b\n');
    await using terminal = chat('--agent', 'echo', '--mode', 'plan');
    await terminal.shows('mode PLAN');
    await terminal.shows('> ');
    terminal.type('/fly\r');
    await terminal.shows('There is no command /fly: /help lists them');
    await terminal.shows('> ');
    terminal.type('/mode wild\r');
    await terminal.shows('There is no permission mode wild');
    await terminal.shows('> ');
    terminal.type('/mode default\r');
    await terminal.shows('The session is in mode DEFAULT now.');
    await terminal.shows('> ');
    terminal.type(`/file ${file}\r`);
    await terminal.shows('goes along with the next message.');
    await terminal.shows('> ');
    terminal.type('/etc is a folder\r');
    await terminal.shows('There is no command /etc');
    await terminal.shows('> ');
    terminal.type(' /etc is a folder\r');
    await terminal.shows('You said: /etc is a folder');
    await terminal.shows('a,b');
    await terminal.shows('> ');
    terminal.type('/session\r');
    await terminal.shows('script:echo.yaml');
  });

  it('ends when its session is deleted', async () => {
    await using terminal = chat('--agent', 'echo');
    await terminal.shows('Session ');
    await terminal.shows('> ');
    const id = /Session (\S+)/.exec(terminal.screen())?.[1] ?? '';
    await fixture.run(['sessions', 'delete', id]);
    terminal.type('hello\r');
    await terminal.shows(`there is no session ${id}`);
    expect(await terminal.exitCode).toBe(1);
  });

  it('refuses to begin without a terminal, or for a program', async () => {
    const end = await fixture.run(['chat', '--agent', 'echo']);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toBe(
      'chat needs a terminal: for programs there is "toolgate run", with --json and --session.\n',
    );
    expect(await fixture.run(['--json', 'chat', '--agent', 'echo'], { isTerminal: true })).toMatchObject({
      exitCode: 2,
    });
  });
});
