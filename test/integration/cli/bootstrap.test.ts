import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface ProgramEnd {
  readonly code: number | null;
  readonly output: string;
}

function runNode(args: readonly string[], cwd: string): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    // As a person calls it: not from inside npm, whose variables would reach the npm that is under test.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        output += String(chunk);
      });
    }
    child.once('error', reject);
    child.once('close', code => resolve({ code, output }));
  });
}

describe('the first command in a fresh clone', () => {
  let project: string;
  beforeEach(async () => {
    project = join(await mkdtemp(join(tmpdir(), 'toolgate bootstrap ')), 'clone');
    await mkdir(join(project, 'cli'), { recursive: true });
    await cp('cli/bootstrap', join(project, 'cli', 'bootstrap'), { recursive: true });
    await cp('cli/bootstrap.mjs', join(project, 'cli', 'bootstrap.mjs'));
  });
  afterEach(() => rm(join(project, '..'), { recursive: true }));

  async function writePackage(manifest: object, lock: object): Promise<void> {
    await writeFile(
      join(project, 'package.json'),
      JSON.stringify({ name: 'x', version: '1.0.0', ...manifest }),
    );
    await writeFile(
      join(project, 'package-lock.json'),
      JSON.stringify({ name: 'x', version: '1.0.0', lockfileVersion: 3, requires: true, ...lock }),
    );
  }

  it('says in one sentence that the Node is too old', async () => {
    const pretend =
      "data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } })";
    const end = await runNode(['--import', pretend, 'cli/bootstrap.mjs', 'start'], project);
    expect(end).toEqual({
      code: 1,
      output: 'Toolgate needs Node 20 or newer to start; this is Node 18.19.0.\n',
    });
  });

  it('says which commands there are', async () => {
    const end = await runNode(['cli/bootstrap.mjs', 'dance'], project);
    expect(end).toEqual({ code: 2, output: 'usage: node cli/bootstrap.mjs start|test|stop\n' });
  });

  it('shows the end of what npm said, and where the whole is, when npm fails', async () => {
    await writePackage(
      { dependencies: { missing: '1.0.0' } },
      { packages: { '': { name: 'x', version: '1.0.0' } } },
    );
    const end = await runNode(['cli/bootstrap.mjs', 'test'], project);
    expect(end.code).toBe(1);
    expect(end.output).toContain('✗ Installing npm packages');
    expect(end.output).toContain('missing@1.0.0');
    expect(end.output).toContain(`Whole output: ${join(project, '.toolgate', 'setup', 'npm-ci.log')}`);
  });

  it('says why Node 24 is missing when npm was told to run no scripts', async () => {
    await writePackage({}, { packages: { '': { name: 'x', version: '1.0.0' } } });
    const end = await runNode(['cli/bootstrap.mjs', 'test'], project);
    expect(end.code).toBe(1);
    expect(end.output).toContain('unset ignore-scripts');
  });

  it('passes on the exit code and the arguments of what it runs, from a path with spaces', async () => {
    await writePackage({ scripts: { generate: 'mkdir proto/gen' } }, { packages: {} });
    await mkdir(join(project, 'proto'));
    await mkdir(join(project, 'node_modules', '.bin'), { recursive: true });
    await writeFile(join(project, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: {} }));
    const node = join(project, 'node_modules', '.bin', 'node');
    await writeFile(node, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    await mkdir(join(project, 'test', 'run'), { recursive: true });
    await writeFile(
      join(project, 'test', 'run', 'run-all.ts'),
      'console.log(JSON.stringify(process.argv.slice(2))); process.exit(7);',
    );
    const end = await runNode(['cli/bootstrap.mjs', 'test', 'one two', '--three'], project);
    expect(end.code).toBe(7);
    expect(end.output).toContain('["one two","--three"]');
    expect(end.output).toContain('✓ Code generated from proto/');
    const again = await runNode(['cli/bootstrap.mjs', 'test'], project);
    expect(again).toEqual({ code: 7, output: '[]\n' });
  });
});
