import { type ChildProcess, spawn } from 'node:child_process';

/** How one run of a client ended. */
export interface ClientEnd {
  readonly exitCode: number;
  /** The answer alone. */
  readonly stdout: string;
  /** What it showed meanwhile. */
  readonly stderr: string;
}

/** A client that runs. */
export interface RunningClient {
  readonly end: Promise<ClientEnd>;
  /** Resolves with the match once the client has shown such text; rejects when it ends without. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
}

/** Runs what follows on a terminal of its own, and ends as it does. */
const ON_TERMINAL = ['python3', '-c', 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'];

/** Starts a program; with `terminal` it believes that a person sits at it, and all it writes is in `stdout`. */
export function startClientProcess(
  command: readonly string[],
  options: { readonly terminal?: boolean; readonly signal?: AbortSignal } = {},
): RunningClient {
  const [program = '', ...args] = options.terminal === true ? [...ON_TERMINAL, ...command] : command;
  const child = spawn(program, args, {
    stdio: 'pipe',
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const end = new Promise<ClientEnd>(resolve => {
    child.once('error', error =>
      resolve({ exitCode: -1, stdout: '', stderr: `${program}: ${error.message}` }),
    );
    child.once('close', code =>
      resolve({ exitCode: code ?? -1, stdout: stdout.text(), stderr: stderr.text() }),
    );
  });
  return {
    end,
    shows: pattern => untilShown(child, pattern, () => stdout.text() + stderr.text()),
    type: text => void child.stdin.write(text),
  };
}

function collect(stream: NodeJS.ReadableStream): { text(): string } {
  let text = '';
  stream.setEncoding('utf8').on('data', chunk => {
    text += chunk;
  });
  return { text: () => text };
}

function untilShown(child: ChildProcess, wanted: RegExp, shown: () => string): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const match = wanted.exec(shown());
      if (match !== null) resolve(match);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
    child.once('close', () => reject(new Error(`the client ended without ${wanted}:\n${shown()}`)));
    look();
  });
}
