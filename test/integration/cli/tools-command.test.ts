import { stripVTControlCharacters } from 'node:util';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { startTestExecutor, type TestExecutor } from '#test/test-executor.ts';
import { testTools } from '#test/test-tools.ts';
import { type CliFixture, startCliFixture } from './cli-fixture.ts';

const EVIL = {
  ...testTools[0],
  spec: create(ToolSpecSchema, {
    name: 'evil',
    description: `Says ${'a lot '.repeat(40)}\u001b[2J\u202eend`,
    inputSchemaJson: '{"type":"object"}',
    hints: { destructive: true, concurrencySafe: false },
    risk: 3,
    aliases: ['Evil'],
  }),
};

describe('toolgate tools', () => {
  let executor: TestExecutor;
  let fixture: CliFixture;

  beforeAll(async () => {
    executor = await startTestExecutor({ tools: [...testTools, EVIL as (typeof testTools)[number]] });
    fixture = await startCliFixture({
      scripts: { echo: { description: 'Says it again.', turns: [{ text: '{{user}}' }] } },
      executors: [{ name: 'test', address: executor.address, token: executor.token }],
    });
    await vi.waitFor(async () => expect((await fixture.run(['tools'])).stdout).toContain('evil'));
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await executor[Symbol.asyncDispose]();
  });

  it('lists every tool with its state on one line that fits the terminal', async () => {
    const { stdout, exitCode } = await fixture.run(['tools'], { isTerminal: true });
    const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
    expect(exitCode).toBe(0);
    expect(lines[0]).toMatch(/^TOOL +STATE +DESCRIPTION$/);
    expect(lines.find(line => line.startsWith('TodoWrite'))).toMatch(/^TodoWrite +ready +\S/);
    expect(lines.find(line => line.startsWith('evil'))).toHaveLength(100);
  });

  it('shows executors, hints and whole descriptions in the wide form, by either option', async () => {
    const wide = await fixture.run(['tools', '--wide'], { isTerminal: true });
    expect(stripVTControlCharacters(wide.stdout)).toMatch(
      /^evil +test +ready +high +destructive, runs alone +Evil +Says .*\\u\{202e\}end$/m,
    );
    expect(stripVTControlCharacters(wide.stdout)).toMatch(/^TodoWrite +gateway /m);
    expect(await fixture.run(['tools', '-o', 'wide'], { isTerminal: true })).toEqual(wide);
  });

  it('cuts nothing where no terminal is', async () => {
    expect((await fixture.run(['tools'])).stdout).toContain('\\u{1b}[2J\\u{202e}end');
  });

  it('writes a line of JSON a tool, by either option', async () => {
    const { stdout } = await fixture.run(['--json', 'tools']);
    const names = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).spec.name);
    expect(names).toEqual(expect.arrayContaining(['TodoWrite', 'echo', 'evil']));
    expect((await fixture.run(['tools', '-o', 'json'])).stdout).toBe(stdout);
  });

  it('shows one tool with its arguments, also by its other name', async () => {
    const { stdout } = await fixture.run(['tools', 'say']);
    expect(stdout).toMatch(/^echo\nexecutor {2}test, ready\n/);
    expect(stdout).toContain('"text": {');
  });

  it('names the tools there are when the one that is asked for does not exist', async () => {
    const end = await fixture.run(['tools', 'ech']);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toMatch(/^There is no tool ech: there are .*echo.*\n$/);
  });

  it('lists what a session sees', async () => {
    const run = await fixture.run(['run', '--agent', 'echo', 'x']);
    const sessionId = /Session (\S+)/.exec(run.stdout)?.[1] ?? '';
    expect((await fixture.run(['tools', '--session', sessionId])).stdout).toContain('echo');
    const unknown = await fixture.run(['tools', '--session', 'ses_nowhere']);
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('refuses a form that does not exist', async () => {
    const end = await fixture.run(['tools', '-o', 'xml']);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain('table, wide, json');
  });
});
