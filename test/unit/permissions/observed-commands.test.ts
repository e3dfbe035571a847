import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { loadBashGrammar } from '#gateway/agent/bash-grammar.ts';
import { analyzeScript } from '#gateway/permissions/bash/script-analysis.ts';
import { programNameOf } from '#gateway/permissions/bash/simple-command.ts';
import { carried, markerText, spelledCommand, wrapped } from './script-grammar.ts';

const run = promisify(execFile);
const secondParser = await loadBashGrammar();
const folder = await mkdtemp(join(tmpdir(), 'toolgate-observed-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const markers = ['m1', 'm2', 'm3'];
// Programs that run others, which the scripts may use besides the markers and what Bash has itself.
const carriers = ['bash', 'sh', 'env', 'timeout', 'nice', 'nohup', 'xargs', 'stdbuf', 'setsid', 'cat'];
await mkdir(join(folder, 'bin'));
for (const name of markers) {
  const file = join(folder, 'bin', name);
  await writeFile(file, `#!/bin/bash\necho ${name} >> ran\n`);
  await chmod(file, 0o755);
}
for (const name of carriers) {
  const { stdout } = await run('/bin/bash', ['-c', `command -v ${name}`], { env: { PATH: '/usr/bin:/bin' } });
  await symlink(stdout.trim(), join(folder, 'bin', name));
}

/** The markers that really ran when Bash was given the script. Nothing else is on its PATH. */
async function observed(script: string): Promise<Set<string>> {
  // A folder for each script, since what one leaves in the background may end during the next.
  const cwd = await mkdtemp(join(folder, 'work-'));
  const file = join(folder, 'script');
  await writeFile(file, script);
  const env = { PATH: join(folder, 'bin'), HOME: cwd };
  const bash = run('/bin/bash', ['--norc', '--noprofile', file], { env, cwd, timeout: 5_000 });
  bash.child.stdin?.end();
  await bash.catch(() => {});
  const log = await readFile(join(cwd, 'ran'), 'utf8').catch(() => '');
  return new Set(log.split('\n').filter(name => name !== ''));
}

/** What ran without being among the commands that the analysis found, unless it says that something stayed hidden. */
async function unforeseen(script: string): Promise<string[]> {
  const analysis = analyzeScript(script, { homeDirectory: undefined, secondParser });
  if (analysis.hidden.length > 0) return [];
  const found = analysis.commands.map(({ command }) => programNameOf(command));
  // A command whose name depends on run time may be any; no rule allows it.
  if (found.includes(undefined)) return [];
  return [...(await observed(script))].filter(name => !found.includes(name));
}

const marker = fc.constantFrom(...markers).chain(name => spelledCommand([name, 'x']));

describe('what Bash really runs', () => {
  it('is among the commands found in scripts of every shape', async () => {
    const property = fc.asyncProperty(wrapped(carried(marker), 3), async script => {
      expect(await unforeseen(script)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 150 });
  }, 120_000);

  it('is among the commands found in text that hardly is a script', async () => {
    const property = fc.asyncProperty(markerText, async script => {
      expect(await unforeseen(script)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 400 });
  }, 120_000);

  it('shows that the scripts do run their markers', async () => {
    expect([...(await observed('m1; bash -c "m2 | m3"'))].sort()).toEqual(markers);
    expect(await unforeseen('m1; m2')).toEqual([]);
  });
});
