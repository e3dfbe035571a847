import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliFixture, startCliFixture } from './cli-fixture.ts';

const TODO = {
  tool: 'TodoWrite',
  id: 'plan',
  input: { todos: [{ content: 'count\u202e', status: 'in_progress', activeForm: 'counting' }] },
};
const PLANNER = { description: 'Plans.', turns: [{ text: 'I plan.', calls: [TODO] }, { text: 'Planned.' }] };

describe('toolgate sessions', () => {
  let fixture: CliFixture;

  beforeAll(async () => {
    fixture = await startCliFixture({
      scripts: {
        echo: { description: 'Says it again.', turns: [{ text: 'You said: {{user}}' }] },
        planner: PLANNER,
      },
    });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  async function newSession(agent: string, message: string): Promise<string> {
    const { stdout } = await fixture.run(['run', '--agent', agent, message]);
    return /Session (\S+)/.exec(stdout)?.[1] ?? '';
  }

  async function listedIds(...args: string[]): Promise<string[]> {
    const { stdout } = await fixture.run(['--json', 'sessions', ...args]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .filter(line => line !== '');
    return lines.map(line => JSON.parse(line)).flatMap(({ sessionId }) => sessionId ?? []);
  }

  it('lists sessions, newest first, with agent, user and state', async () => {
    const first = await newSession('echo', 'one');
    const second = await newSession('planner', 'two');
    const { stdout, exitCode } = await fixture.run(['sessions'], { isTerminal: true });
    expect(exitCode).toBe(0);
    const lines = stripVTControlCharacters(stdout).split('\n');
    expect(lines[0]).toMatch(/^SESSION +AGENT +USER +STATE +AGE$/);
    expect(lines[1]).toMatch(new RegExp(`^${second} +planner +owner +idle +\\d+ s$`));
    expect(lines[2]).toMatch(new RegExp(`^${first} +echo `));
    expect((await fixture.run(['sessions', 'list', '--wide'])).stdout).toMatch(
      new RegExp(
        `^${second} .* \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d +DEFAULT +script:planner\\.yaml +\\d+$`,
        'm',
      ),
    );
  });

  it('goes through the pages and says where the next one is', async () => {
    const third = await newSession('echo', 'three');
    const everything = await listedIds();
    const { stdout } = await fixture.run(['sessions', '--limit', '1']);
    expect(stdout).toContain(third);
    const token = /--page (\S+),/.exec(stdout)?.[1] ?? '';
    expect(await listedIds('--limit', '1', '--page', token)).toEqual([everything[1]]);
    expect(await listedIds('--limit', '1', '--all')).toEqual(everything);
    const last = await fixture.run(['--json', 'sessions', '--limit', '1']);
    expect(JSON.parse(last.stdout.trimEnd().split('\n').at(-1) ?? '')).toEqual({ nextPageToken: token });
  });

  it('shows one session with its plan and its conversation, nothing hidden', async () => {
    const id = await newSession('planner', 'plan it');
    const { stdout } = await fixture.run(['sessions', 'show', id, '--messages']);
    expect(stdout).toContain(`Session ${id}\n`);
    expect(stdout).toMatch(/^agent +planner$/m);
    expect(stdout).toMatch(/^todo +… count\\u\{202e\}$/m);
    expect(stdout).toContain('\n> plan it\nI plan.\n● TodoWrite ');
    expect(stdout).toContain('  SUCCESS\nPlanned.\n');
    const json = await fixture.run(['--json', 'sessions', 'show', id, '--messages']);
    const [session, ...messages] = json.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(session.sessionId).toBe(id);
    expect(messages.map(({ role }) => role)).toEqual([
      'MESSAGE_ROLE_USER',
      'MESSAGE_ROLE_ASSISTANT',
      'MESSAGE_ROLE_TOOL',
      'MESSAGE_ROLE_ASSISTANT',
    ]);
  });

  it('lists what waits for a person, and shows the whole call', async () => {
    await using fixture = await startCliFixture({
      scripts: { planner: PLANNER },
      rules: [{ tool: 'TodoWrite', behavior: 'ask' }],
    });
    const running = fixture.start(['run', '--agent', 'planner', 'x']);
    await running.shows('toolgate approve');
    const { stdout } = await fixture.run(['sessions', '--pending']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stdout).toContain('waits for a permission');
    const id = /^ses_\S+/m.exec(stdout)?.[0] ?? '';
    expect((await fixture.run(['sessions', 'show', id])).stdout).toContain('│ TodoWrite wants to run');
    expect(await fixture.run(['sessions', 'delete', id])).toMatchObject({ exitCode: 0 });
    expect((await running.end).exitCode).not.toBe(0);
    expect((await fixture.run(['sessions', '--pending'])).stdout).toBe('Nothing waits for a person.\n');
  });

  it('deletes sessions, and says which one it does not know', async () => {
    const id = await newSession('echo', 'x');
    const end = await fixture.run(['sessions', 'delete', id]);
    expect(end).toEqual({ exitCode: 0, stdout: `Session ${id} is deleted.\n`, stderr: '' });
    expect(await listedIds()).not.toContain(id);
    const again = await fixture.run(['sessions', 'delete', id]);
    expect(again).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `The gateway answered NotFound: there is no session ${id}\n`,
    });
  });

  it.each([
    [['sessions', '--limit', '0'], 'from 1 to 500'],
    [['sessions', '--limit', '501'], 'from 1 to 500'],
    [['sessions', '--page', 'two'], 'page_token'],
    [['sessions', 'show'], "missing required argument 'session'"],
  ])('calls %j wrong usage', async (args, text) => {
    const end = await fixture.run(args);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(text);
  });
});
