import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCli } from './cli-fixture.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** How each shell is asked for what it would offer after the words, the last of which is being typed. */
const ASK: Readonly<Record<Shell, string>> = {
  bash: `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _toolgate
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Without a terminal zsh has no completion of its own; what its functions would be handed is what counts.
  zsh: `compdef() { }; _files() { print -l -- files }
    compadd() { shift; print -l -- "$@" }
    _describe() { local each; for each in \${(P)2}; do print -r -- "\${\${each//\\\\:/;}%%:*}"; done }
    source "$1"; shift; words=("$@"); CURRENT=$#; _toolgate`,
  fish: 'source $argv[1]; complete -C (string join " " -- $argv[2..-1]) | string replace -r "\\t.*" ""',
};

function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

describe.each<Shell>(['bash', 'zsh', 'fish'])('completion in %s', shell => {
  let folder: string;
  let script: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-completion-'));
    script = join(folder, 'script');
    const { stdout, exitCode, stderr } = await startCli(['completion', shell], {}).end;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    await writeFile(script, stdout);
  });
  afterAll(() => rm(folder, { recursive: true }));

  function offered(...words: string[]): string[] {
    const args =
      shell === 'fish' ? ['-c', ASK[shell], script, ...words] : ['-c', ASK[shell], shell, script, ...words];
    const { stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', cwd: folder });
    expect(stderr).toBe('');
    const last = words.at(-1) ?? '';
    return stdout.split('\n').filter(word => word !== '' && word.startsWith(last));
  }

  describe.runIf(isInstalled(shell))('with the shell', () => {
    it('offers the commands that begin so', () => {
      expect(offered('toolgate', 'app')).toEqual(['approvals', 'approve']);
      expect(offered('toolgate', '')).toEqual(
        expect.arrayContaining(['chat', 'tools', 'sessions', 'doctor']),
      );
    });

    it('finds its way past options and their values', () => {
      expect(offered('toolgate', '--data', 'tools', '--json', 'rules', 'a')).toEqual(['add']);
      expect(offered('toolgate', 'rules', 'add', 'd')).toEqual(['deny']);
    });

    it('offers the options of a command and those of all', () => {
      expect(offered('toolgate', 'deny', '--')).toEqual(
        expect.arrayContaining(['--reason', '--json', '--address', '--help']),
      );
      expect(offered('toolgate', 'sessions', '--li')).toEqual(['--limit']);
      expect(offered('toolgate', 'doctor', '--rea')).toEqual([]);
    });

    it('offers what can follow an option', () => {
      expect(offered('toolgate', 'tools', '-o', '').sort()).toEqual(['json', 'table', 'wide']);
      expect(offered('toolgate', 'run', '--file', shell === 'zsh' ? 'f' : 'scr')).toHaveLength(1);
      expect(offered('toolgate', 'run', '--agent', 'c')).toEqual([]);
    });
  });
});

describe('toolgate completion', () => {
  it('knows only the shells there are', async () => {
    const end = await startCli(['completion', 'csh'], {}).end;
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain('bash, zsh, fish');
  });
});
