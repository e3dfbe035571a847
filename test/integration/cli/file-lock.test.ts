import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireFileLock } from '../../../cli/bootstrap/file-lock.mjs';
import { processStart } from '../../../cli/bootstrap/process-start.mjs';

describe('the lock of a set-up', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-lock-'));
    path = join(folder, 'setup.lock');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('lets the next one in when it is released', async () => {
    const first = await acquireFileLock(path);
    let waitedFor = 0;
    const second = acquireFileLock(path, {
      onWait: pid => {
        waitedFor = pid;
        first.release();
      },
    });
    (await second).release();
    expect(waitedFor).toBe(process.pid);
  });

  it('is taken over from a process that was killed', async () => {
    const holder = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { acquireFileLock } from ${JSON.stringify(join(process.cwd(), 'cli/bootstrap/file-lock.mjs'))};
       await acquireFileLock(${JSON.stringify(path)}); console.log('held'); setInterval(() => {}, 1000);`,
    ]);
    await once(holder.stdout, 'data');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    (await acquireFileLock(path)).release();
  });

  it('is taken over when its pid belongs to another process by now', async () => {
    await writeFile(path, JSON.stringify({ pid: process.pid, start: 'earlier' }));
    (await acquireFileLock(path)).release();
  });

  it('is taken over when its file was cut in the middle', async () => {
    await writeFile(path, '{"pid":');
    (await acquireFileLock(path)).release();
  });

  it('is held by one at a time, however many take over a stale one at once', async () => {
    await writeFile(path, JSON.stringify({ pid: 0, start: 'never' }));
    const log = join(folder, 'log');
    const program = `
      import { appendFileSync } from 'node:fs';
      import { acquireFileLock } from ${JSON.stringify(join(process.cwd(), 'cli/bootstrap/file-lock.mjs'))};
      const lock = await acquireFileLock(${JSON.stringify(path)});
      appendFileSync(${JSON.stringify(log)}, 'in\\n');
      await new Promise(resolve => setTimeout(resolve, 20));
      appendFileSync(${JSON.stringify(log)}, 'out\\n');
      lock.release();`;
    await appendFile(log, '');
    const holders = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['--input-type=module', '--eval', program]),
    );
    const exits = await Promise.all(holders.map(holder => once(holder, 'exit')));
    expect(exits.map(([code]) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await readFile(log, 'utf8')).toBe('in\nout\n'.repeat(6));
  });

  it('can be given up while waiting', async () => {
    const held = await acquireFileLock(path);
    const controller = new AbortController();
    const waiting = acquireFileLock(path, { signal: controller.signal, onWait: () => controller.abort() });
    await expect(waiting).rejects.toThrow('aborted');
    held.release();
  });
});

describe('the start of a process', () => {
  it('names a running process and no other', async () => {
    const child = spawn('sleep', ['60']);
    const pid = child.pid ?? 0;
    const start = processStart(pid);
    expect(start).toBeDefined();
    expect(processStart(pid)).toBe(start);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processStart(pid)).not.toBe(start);
  });
});
