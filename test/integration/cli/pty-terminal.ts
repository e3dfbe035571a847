import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Runs its arguments on a terminal of their own; what it reads is typed there, what is shown there it writes. */
const RELAY = `
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
`;

/** A command line on a real terminal. */
export interface PtyCli extends AsyncDisposable {
  type(text: string): void;
  /** Resolves once this text was shown after whatever was waited for before. */
  shows(text: string): Promise<void>;
  /** Everything that was shown, without colours and cursor movements. */
  screen(): string;
  readonly exitCode: Promise<number | null>;
}

/** Starts cli/toolgate as a person does. */
export function startPtyCli(args: readonly string[], env: NodeJS.ProcessEnv): PtyCli {
  const child = spawn('python3', ['-c', RELAY, resolve('cli', 'toolgate'), ...args], {
    env: { ...process.env, TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let seen = '';
  let position = 0;
  const watchers = new Set<() => void>();
  child.stdout.on('data', chunk => {
    seen += String(chunk);
    for (const look of watchers) look();
  });
  const exitCode = new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  const screen = (): string => stripVTControlCharacters(seen).replaceAll('\r', '');
  return {
    exitCode,
    screen,
    type: text => void child.stdin.write(text),
    shows: async text => {
      const shown = new Promise<void>(done => {
        const look = (): void => {
          const at = screen().indexOf(text, position);
          if (at < 0) return;
          position = at + text.length;
          watchers.delete(look);
          done();
        };
        watchers.add(look);
        look();
      });
      const never = exitCode.then(() => {
        throw new Error(`"${text}" was never shown:\n${screen()}`);
      });
      await Promise.race([shown, never]);
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      child.kill('SIGKILL');
      await exitCode;
    },
  };
}
