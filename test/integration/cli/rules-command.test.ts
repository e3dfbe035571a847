import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CliFixture, startCliFixture } from './cli-fixture.ts';

const TODOS = '{"todos": []}';

describe('permission rules at the command line', () => {
  let fixture: CliFixture;

  beforeAll(async () => {
    fixture = await startCliFixture({
      scripts: { echo: { description: 'Says it again.', turns: [{ text: '{{user}}' }] } },
      rules: [{ tool: 'Bash', content: 'curl:*', behavior: 'deny' }],
    });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  afterEach(async () => {
    const { stdout } = await fixture.run(['--json', 'rules']);
    const kept = stdout
      .trimEnd()
      .split('\n')
      .flatMap(line => JSON.parse(line).ruleId ?? []);
    if (kept.length > 0) await fixture.run(['rules', 'remove', ...kept]);
  });

  async function newSession(): Promise<string> {
    const { stdout } = await fixture.run(['run', '--agent', 'echo', 'x']);
    return /Session (\S+)/.exec(stdout)?.[1] ?? '';
  }

  it("lists the operator's rules and the caller's own, with what each does", async () => {
    await fixture.run(['rules', 'add', 'ask', 'TodoWrite']);
    const { stdout, exitCode } = await fixture.run(['rules']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^DOES +RULE +FROM +ID$/m);
    expect(stdout).toMatch(/^deny +Bash\(curl:\*\) +policy +-$/m);
    expect(stdout).toMatch(/^ask +TodoWrite +user +rule_\S+$/m);
    expect((await fixture.run(['rules', 'list', '--wide'])).stdout).toMatch(/^ask .* owner +rule_/m);
  });

  it('keeps a rule that holds at once, until it is removed', async () => {
    expect(await fixture.run(['call', 'TodoWrite', TODOS])).toMatchObject({ exitCode: 0 });
    const added = await fixture.run(['rules', 'add', 'deny', 'TodoWrite']);
    expect(added).toMatchObject({ exitCode: 0, stderr: '' });
    expect(added.stdout).toMatch(/^Kept as user rule rule_\S+: deny TodoWrite\n$/);
    expect(await fixture.run(['call', 'TodoWrite', TODOS])).toMatchObject({ exitCode: 3 });
    const ruleId = /rule_[^\s:]+/.exec(added.stdout)?.[0] ?? '';
    expect(await fixture.run(['rules', 'remove', ruleId])).toEqual({
      exitCode: 0,
      stdout: `No rule ${ruleId} is kept any more.\n`,
      stderr: '',
    });
    expect(await fixture.run(['call', 'TodoWrite', TODOS])).toMatchObject({ exitCode: 0 });
  });

  it('keeps a rule for one session only', async () => {
    const sessionId = await newSession();
    const added = await fixture.run(['rules', 'add', 'deny', 'TodoWrite', '--session', sessionId]);
    expect(added.stdout).toContain('Kept as session rule');
    expect((await fixture.run(['rules'])).stdout).not.toContain('TodoWrite');
    expect((await fixture.run(['rules', '--session', sessionId])).stdout).toMatch(
      /^deny +TodoWrite +session/m,
    );
    expect(await fixture.run(['call', 'TodoWrite', TODOS, '--session', sessionId])).toMatchObject({
      exitCode: 3,
    });
  });

  it('shows what is odd about a rule, and keeps it', async () => {
    const { stdout, exitCode } = await fixture.run(['rules', 'add', 'allow', 'Bsh(git (a) status:*)']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Kept as user rule rule_\S+: allow Bsh\(git \(a\) status:\*\)\nMind: No tool is called "Bsh"/,
    );
    const json = await fixture.run(['--json', 'rules', 'add', 'allow', 'Bsh']);
    expect(JSON.parse(json.stdout).warnings).toHaveLength(1);
  });

  it('refuses what the gateway would never match, in one line', async () => {
    const end = await fixture.run(['rules', 'add', 'deny', 'TodoWrit']);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toMatch(/^The gateway refused the request: No tool is called "TodoWrit".*\n$/);
  });

  it.each([
    [['rules', 'add', 'permit', 'Bash'], 'allow, ask, deny'],
    [['rules', 'add', 'allow', '(x)'], "write TOOL, or TOOL(CONTENT) as in 'Bash(git status:*)'"],
    [['rules', 'add', 'allow', 'Bash(git'], '"Bash(git" is no rule'],
    [['rules', 'remove'], "missing required argument 'rule'"],
    [['explain', 'TodoWrite', '[]'], 'must be a JSON object'],
    [['explain', 'TodoWrite', '{}', '--mode', 'wild'], 'DEFAULT, ACCEPT_EDITS'],
    [['explain', 'TodoWrite', '{}', '--mode', 'plan', '--session', 'x'], 'leave out --agent and --mode'],
    [['explain', 'TodoWrite', '{"todos": 1}'], 'todos'],
  ])('calls %j wrong usage', async (args, text) => {
    const end = await fixture.run(args);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(text);
  });

  it('explains every step of a decision and leaves no session behind', async () => {
    await fixture.run(['rules', 'add', 'ask', 'TodoWrite']);
    const before = await fixture.run(['sessions', '--all']);
    const { stdout, exitCode } = await fixture.run(['explain', 'TodoWrite', TODOS]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^TodoWrite \[\]\nSTEP +SAYS +WHY\n/);
    expect(stdout).toMatch(/^deny rule +no opinion +\S/m);
    expect(stdout).toMatch(/^ask rule +ask +.*\(user rule/m);
    expect(stdout).toMatch(/^ask, by ask rule: .+$/m);
    expect(await fixture.run(['sessions', '--all'])).toEqual(before);
  });

  it('explains by its exit code that a call is denied, as a session or an agent in a mode would', async () => {
    const sessionId = await newSession();
    await fixture.run(['rules', 'add', 'deny', 'TodoWrite', '--session', sessionId]);
    expect(await fixture.run(['explain', 'TodoWrite', TODOS, '--session', sessionId])).toMatchObject({
      exitCode: 3,
    });
    const inMode = await fixture.run(['explain', 'TodoWrite', TODOS, '--agent', 'echo', '--mode', 'bypass']);
    expect(inMode).toMatchObject({ exitCode: 0 });
    const json = await fixture.run(['--json', 'explain', 'TodoWrite', TODOS]);
    expect(JSON.parse(json.stdout).decision.steps.length).toBeGreaterThan(3);
  });
});
