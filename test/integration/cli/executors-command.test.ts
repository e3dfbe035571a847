import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestExecutor, type TestExecutor } from '#test/test-executor.ts';
import { type CliFixture, startCliFixture } from './cli-fixture.ts';

describe('toolgate executors', () => {
  let executor: TestExecutor;
  let fixture: CliFixture;

  beforeAll(async () => {
    executor = await startTestExecutor();
    fixture = await startCliFixture({
      scripts: {},
      executors: [
        { name: 'gone', address: 'http://127.0.0.1:1', token: 'x' },
        { name: 'test', address: executor.address, token: executor.token },
      ],
    });
    await vi.waitFor(async () => expect((await fixture.run(['executors'])).stdout).toContain('ready'));
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await executor[Symbol.asyncDispose]();
  });

  it('tells the state of each and what is wrong, and fails while one is not ready', async () => {
    const { stdout, exitCode } = await fixture.run(['executors'], { isTerminal: true });
    const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
    expect(exitCode).toBe(1);
    expect(lines[0]).toMatch(/^EXECUTOR +STATE +SINCE +PROBLEM +TOOLS$/);
    expect(lines[1]).toMatch(/^gone +unreachable +\d+ s +\S/);
    expect(lines[2]).toMatch(/^test +ready +\d+ s +append, count, crash/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('shows addresses and versions in the wide form, and all as JSON lines', async () => {
    const wide = await fixture.run(['executors', '--wide']);
    expect(wide.stdout).toContain(executor.address);
    const { stdout } = await fixture.run(['executors', '-o', 'json']);
    const states = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).state);
    expect(states).toEqual(['EXECUTOR_STATE_UNREACHABLE', 'EXECUTOR_STATE_READY']);
  });

  it('says what is missing to a caller who may not see them', async () => {
    const tokenFile = `${fixture.dataFolder}/tokens/agent.token`;
    const end = await fixture.run(['--token-file', tokenFile, 'executors']);
    expect(end).toMatchObject({ exitCode: 3, stdout: '' });
    expect(end.stderr).toMatch(/^This token may not do that: .*"executor".*\n$/);
  });

  it('says where executors come from when there are none', async () => {
    await using bare = await startCliFixture({ scripts: {} });
    expect(await bare.run(['executors'])).toMatchObject({
      exitCode: 0,
      stdout: 'The gateway has no executors: list them under "executors" in its configuration.\n',
    });
  });
});
