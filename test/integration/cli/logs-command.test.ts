import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCli } from './cli-fixture.ts';

const line = (time: number, msg: string, level = 30): string => `${JSON.stringify({ level, time, msg })}\n`;

describe('toolgate logs', () => {
  let data: string;
  let gatewayLog: string;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'toolgate-logs-'));
    await mkdir(join(data, 'logs'));
    gatewayLog = join(data, 'logs', 'gateway.log');
    await writeFile(gatewayLog, line(1_000, 'first') + line(3_000, 'third', 40) + line(5_000, 'fifth'));
    await writeFile(
      join(data, 'logs', 'sandbox-executor.log'),
      line(2_000, 'second') + line(4_000, 'fourth'),
    );
  });
  afterEach(() => rm(data, { recursive: true }));

  const messages = (stdout: string): string[] =>
    stdout.match(/first|second|third|fourth|fifth|sixth|anew/g) ?? [];

  it('shows both logs in the order of time, or the last lines of them', async () => {
    const all = await startCli(['--data', data, 'logs'], {}).end;
    expect(all.exitCode).toBe(0);
    expect(messages(all.stdout)).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
    expect(all.stdout).toMatch(/ executor info {2}fourth\n.* gateway {2}info {2}fifth\n$/);
    const last = await startCli(['--data', data, 'logs', '-n', '2'], {}).end;
    expect(messages(last.stdout)).toEqual(['fourth', 'fifth']);
  });

  it('shows one log, only what is severe, or the lines as they were written', async () => {
    const one = await startCli(['--data', data, 'logs', 'executor'], {}).end;
    expect(messages(one.stdout)).toEqual(['second', 'fourth']);
    const severe = await startCli(['--data', data, 'logs', '--level', 'warn'], {}).end;
    expect(messages(severe.stdout)).toEqual(['third']);
    const raw = await startCli(['--json', '--data', data, 'logs', '-n', '1'], {}).end;
    expect(raw.stdout).toBe(line(5_000, 'fifth'));
  });

  it('follows what is written, also a line in two pieces and a file that is begun anew', async () => {
    const running = startCli(['--data', data, 'logs', '--follow', '-n', '1'], {});
    await running.shows('fifth');
    await appendFile(gatewayLog, '{"level":30,"msg":"six');
    await appendFile(gatewayLog, 'th"}\n');
    await running.shows('sixth');
    await writeFile(gatewayLog, line(6_000, 'anew'));
    await running.shows('anew');
    running.interrupts.trigger();
    const { stdout, exitCode } = await running.end;
    expect(exitCode).toBe(130);
    expect(messages(stdout)).toEqual(['fifth', 'sixth', 'anew']);
  });

  it('says that nothing was started when there is no log', async () => {
    const end = await startCli(['--data', join(data, 'nowhere'), 'logs'], {}).end;
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toMatch(/^There is no log in .*nowhere\/logs: nothing was started.*\n$/);
  });

  it('knows only the logs there are', async () => {
    const end = await startCli(['--data', data, 'logs', 'toolbox'], {}).end;
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain('gateway, executor');
  });
});
