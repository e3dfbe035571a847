import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DetachedProgram,
  startDetached,
  stopDetached,
} from '../../../cli/processes/detached-process.ts';
import { livingPid, writePidFile } from '../../../cli/processes/pid-file.ts';

const { signal } = new AbortController();

describe('a program that is started to stay', () => {
  let folder: string;
  let pidFile: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-detached-'));
    pidFile = join(folder, 'program.pid');
  });
  afterEach(async () => {
    await stopDetached(pidFile, { graceMs: 0, signal });
    await rm(folder, { recursive: true });
  });

  /** A program that appends to "ready" once it runs; `body` is what it does besides. */
  async function programOf(body: string): Promise<DetachedProgram> {
    await writeFile(
      join(folder, 'main.mjs'),
      `import { writeFileSync } from 'node:fs';\n${body}\nwriteFileSync('ready', '');\nsetInterval(() => {}, 1000);`,
    );
    return {
      title: 'test program',
      mainFile: 'main.mjs',
      projectFolder: folder,
      env: { GREETING: 'hello' },
      pidFile,
      logFile: join(folder, 'program.log'),
      isReady: () =>
        readFile(join(folder, 'ready')).then(
          () => true,
          () => false,
        ),
    };
  }

  it('is there when the start returns, and gone when the stop does', async () => {
    const pid = await startDetached(await programOf(''), signal);
    expect(livingPid(pidFile)).toBe(pid);
    expect(await stopDetached(pidFile, { graceMs: 5_000, signal })).toBe('stopped');
    expect(livingPid(pidFile)).toBeUndefined();
    expect(await stopDetached(pidFile, { graceMs: 5_000, signal })).toBe('not running');
  });

  it.runIf(process.platform === 'linux')(
    'leads a session of its own, so that a closed terminal does not end it',
    async () => {
      const pid = await startDetached(await programOf(''), signal);
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      expect(Number(session)).toBe(pid);
    },
  );

  it('is killed when it does not end by itself', async () => {
    await startDetached(await programOf("process.on('SIGTERM', () => {});"), signal);
    expect(await stopDetached(pidFile, { graceMs: 100, signal })).toBe('killed');
  });

  it('tells the end of its log when it ends at once', async () => {
    const program = await programOf("console.error(process.env.GREETING + ', no port'); process.exit(3);");
    await expect(startDetached(program, signal)).rejects.toThrow(
      /The test program ended at once; the end of its log:\n {2}hello, no port\nWhole log: .*program\.log/,
    );
  });

  it('is known to be dead after kill -9', async () => {
    const pid = await startDetached(await programOf(''), signal);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => livingPid(pidFile)).toBeUndefined();
  });

  it('is never mixed up with another process that got its pid', async () => {
    const other = spawn('sleep', ['60']);
    await writeFile(pidFile, JSON.stringify({ pid: other.pid, start: 'earlier' }));
    expect(livingPid(pidFile)).toBeUndefined();
    expect(await stopDetached(pidFile, { graceMs: 0, signal })).toBe('not running');
    writePidFile(pidFile, other.pid ?? 0);
    expect(livingPid(pidFile)).toBe(other.pid);
    const ended = once(other, 'exit');
    expect(await stopDetached(pidFile, { graceMs: 5_000, signal })).toBe('stopped');
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it('is forgotten when its pid file was cut in the middle', async () => {
    await writeFile(pidFile, '{"pid": 1');
    expect(livingPid(pidFile)).toBeUndefined();
  });
});
