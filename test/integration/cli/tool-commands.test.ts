import { createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCuttableProxy } from '#test/cuttable-proxy.ts';
import { type CliFixture, startCli, startCliFixture } from './cli-fixture.ts';

const TODOS = JSON.stringify({
  todos: [{ content: 'count', status: 'in_progress', activeForm: 'counting' }],
});

describe('commands without a model', () => {
  let fixture: CliFixture;

  beforeAll(async () => {
    fixture = await startCliFixture({
      scripts: { echo: { description: 'Says it again.', turns: [{ text: '{{user}}' }] } },
    });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it('runs a tool and leaves no session behind', async () => {
    const end = await fixture.run(['call', 'TodoWrite', TODOS]);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    expect(end.stdout).toContain('✓ SUCCESS');
    const sessionId = /"sessionId":"([^"]+)"/.exec(
      (await fixture.run(['--json', 'call', 'TodoWrite', TODOS])).stdout,
    )?.[1];
    expect(await fixture.run(['watch', sessionId ?? ''])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('NotFound'),
    });
  });

  it('runs a tool in a session that stays', async () => {
    const run = await fixture.run(['run', '--agent', 'echo', 'hello']);
    const sessionId = /Session (\S+)/.exec(run.stdout)?.[1] ?? '';
    for (const _ of ['once', 'again']) {
      const end = await fixture.run(['call', '--session', sessionId, 'TodoWrite', TODOS]);
      expect(end).toMatchObject({ exitCode: 0, stderr: '' });
      expect(end.stdout).toContain('✓ SUCCESS');
    }
  });

  it('runs a tool in a session that is there already, and leaves that alone', async () => {
    const run = await fixture.run(['run', '--agent', 'echo', 'hello']);
    const sessionId = /Session (\S+)/.exec(run.stdout)?.[1] ?? '';
    const end = await fixture.run(['call', 'TodoWrite', TODOS, '--session', sessionId]);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await fixture.run(['sessions', 'show', sessionId])).stdout).toContain('… count');
  });

  it.each([1, 2])('leaves no session behind after %i times Ctrl-C', async times => {
    await using asking = await startCliFixture({
      scripts: {},
      rules: [{ tool: 'TodoWrite', behavior: 'ask' }],
    });
    const running = asking.start(['call', 'TodoWrite', TODOS]);
    await running.shows('toolgate approve');
    for (let time = 0; time < times; time++) running.interrupts.trigger();
    expect(await running.end).toMatchObject({ exitCode: 130 });
    expect((await asking.run(['sessions'])).stdout).toBe('There are no sessions.\n');
  });

  it('leaves no session behind when Ctrl-C comes while it is being made', async () => {
    const before = await fixture.run(['sessions', '--all']);
    const running = fixture.start(['--json', 'call', 'TodoWrite', TODOS]);
    await setImmediate();
    running.interrupts.trigger();
    expect(await running.end).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await fixture.run(['sessions', '--all'])).toEqual(before);
  });

  it('says which tools there are when the named one does not exist', async () => {
    const end = await fixture.run(['call', 'Todo', '{}']);
    expect(end).toMatchObject({ exitCode: 1 });
    expect(end.stderr).toMatch(/^The gateway answered NotFound: .*TodoWrite.*\n$/);
  });

  it.each(['{"todos": ', '[]', '"x"', 'todos'])(
    'refuses %s as arguments before it asks the gateway',
    async json => {
      const end = await fixture.run(['call', 'TodoWrite', json]);
      expect(end).toMatchObject({ exitCode: 2, stdout: '' });
      expect(end.stderr).toContain('The arguments must be a JSON object');
    },
  );

  it('tells what does not fit the schema of the tool', async () => {
    const end = await fixture.run(['call', 'TodoWrite', '{"todos": 3}']);
    expect(end.exitCode).not.toBe(0);
    expect(`${end.stdout}${end.stderr}`).toContain('todos');
  });

  it('shows a session from its first event, or only what is new', async () => {
    const run = await fixture.run(['run', '--agent', 'echo', 'hello']);
    const sessionId = /Session (\S+)/.exec(run.stdout)?.[1] ?? '';
    const whole = fixture.start(['--json', 'watch', sessionId]);
    await whole.shows('replyEnd');
    whole.interrupts.trigger();
    const { stdout, exitCode } = await whole.end;
    expect(exitCode).toBe(130);
    expect(stdout.split('\n')[0]).toContain('"sequence":"1"');
    const rest = fixture.start(['--json', 'watch', sessionId, '--after', '2']);
    await rest.shows('replyEnd');
    rest.interrupts.trigger();
    expect((await rest.end).stdout.split('\n')[0]).toContain('"sequence":"3"');
  });

  it('comes back to a session it watches and misses nothing', async () => {
    const run = await fixture.run(['run', '--agent', 'echo', 'hello']);
    const sessionId = /Session (\S+)/.exec(run.stdout)?.[1] ?? '';
    await using proxy = await startCuttableProxy(fixture.address);
    const watching = fixture.start(['--json', '--address', proxy.address, 'watch', sessionId]);
    await watching.shows('replyEnd');
    proxy.cut();
    await watching.shows('The connection is lost');
    await fixture.run(['run', '--session', sessionId, 'second message']);
    await watching.shows('second message"');
    watching.interrupts.trigger();
    const lines = (await watching.end).stdout.trimEnd().split('\n');
    const sequences = lines.map(line => Number(JSON.parse(line).sequence));
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });
});

describe('what goes wrong', () => {
  let fixture: CliFixture;

  beforeAll(async () => {
    fixture = await startCliFixture({
      scripts: { echo: { description: 'Says it again.', turns: [{ text: '{{user}}' }] } },
      rules: [{ tool: 'TodoWrite', behavior: 'deny' }],
    });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it('has an exit code of its own for a call that a rule denies', async () => {
    const end = await fixture.run(['call', 'TodoWrite', TODOS]);
    expect(end).toMatchObject({ exitCode: 3 });
    expect(end.stdout).toContain('denied');
    expect(end.stdout).toContain('(policy rule');
  });

  it('says in one line that no gateway answers, and how to start one', async () => {
    const end = await fixture.run(['--address', 'http://127.0.0.1:1', 'approvals']);
    expect(end).toEqual({
      exitCode: 4,
      stdout: '',
      stderr:
        'Cannot reach a gateway at http://127.0.0.1:1 (ECONNREFUSED): start one with "npm start" or name another with --address.\n',
    });
  });

  it('says that whoever answers there is no gateway', async () => {
    const server = createServer(socket => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const end = await fixture.run(['--address', `http://127.0.0.1:${port}`, 'approvals']);
    server.close();
    expect(end).toMatchObject({ exitCode: 4, stdout: '' });
    expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('names the ways to give a token when the token is wrong', async () => {
    const end = await fixture.run(['approvals'], { env: { TOOLGATE_TOKEN: 'wrong' } });
    expect(end).toMatchObject({ exitCode: 3 });
    expect(end.stderr).toContain('--token-file or TOOLGATE_TOKEN');
    expect(end.stderr).not.toContain('wrong token');
  });

  it.each([
    [['--address', 'localhost:7420', 'approvals'], 'no address of a gateway'],
    [['--token-file', '/nowhere/token', 'approvals'], 'Cannot read the token file'],
    [['run', '--agent', 'echo', '--file', '/nowhere/file', 'x'], 'Cannot send the file'],
    [['approve', 'call_unknown'], 'No call call_unknown waits'],
    [['approve', 'x', '--remember', 'zero'], 'a number as the approval shows it'],
    [['deny', 'x'], '--reason'],
    [['watch', 'x', '--after', '-1'], 'whole number'],
    [['fly'], 'unknown command'],
  ])('calls %j wrong usage', async (args, text) => {
    const end = await fixture.run(args);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(text);
    expect(end.stderr).not.toMatch(/^\s+at /m);
  });

  it('explains its exit codes', async () => {
    const end = await startCli(['--help'], {}).end;
    expect(end.exitCode).toBe(0);
    for (const code of ['0 ', '1 ', '2 ', '3 ', '4 ', '130 '])
      expect(end.stdout).toMatch(new RegExp(`^  ${code}`, 'm'));
  });

  it('has examples in the help of every command', async () => {
    const { stdout } = await startCli(['--help'], {}).end;
    const listed = stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('Exit codes:'));
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].flatMap(([, name = '']) =>
      name === 'help' ? [] : name,
    );
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) {
      const help = await startCli([name, '--help'], {}).end;
      expect(help.stdout, name).toContain(`\nExamples:\n  # `);
    }
  });
});
