import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outcome, OutcomeReason, OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { type CallOutcome, startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';

let sandbox: TestSandbox;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});

afterAll(() => sandbox[Symbol.asyncDispose]());

const bash = (command: string, timeout?: number): Promise<CallOutcome> =>
  sandbox.call('Bash', { command, ...(timeout === undefined ? {} : { timeout }) });

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

test('output, exit code and duration are structured, and a failure says its code', async () => {
  const { result, text } = await bash('echo out; sleep 0.1; echo err >&2; exit 3');
  expect(result).toMatchObject({ outcome: Outcome.ERROR, exitCode: 3, signal: '' });
  expect(text).toBe('out\nerr\n[Exit code 3]');
  expect(result.duration).toBeDefined();
});

test('the working directory persists between calls, variables do not', async () => {
  await bash('mkdir -p "odd dir" && cd "odd dir" && KEPT=yes');
  const { text } = await bash('basename "$PWD"; echo "[$KEPT]"; cd ..');
  expect(text).toBe('odd dir\n[]');
});

test.each(['exit 4', 'set -e; false', 'exec true', 'kill -KILL $$', 'cd /; trap - EXIT; exit 1'])(
  'after "%s" the next call works',
  async command => {
    await bash(command);
    expect((await bash('echo alive')).text).toBe('alive');
    await bash(`cd ${sandbox.workspace()}`);
  },
);

test('a deleted working directory falls back to the workspace and says so', async () => {
  const gone = join(sandbox.workspace(), 'gone');
  mkdirSync(gone);
  await bash('cd gone');
  rmSync(gone, { recursive: true });
  const { text, result } = await bash('pwd');
  expect(text).toContain(`[The working directory ${gone} is gone; this ran in ${sandbox.workspace()}]`);
  expect(result.outcome).toBe(Outcome.SUCCESS);
});

test('the call ends when the shell ends, and names what still runs', async () => {
  const startedMs = performance.now();
  const { result, text } = await bash('sleep 30 & echo started');
  expect(performance.now() - startedMs).toBeLessThan(3000);
  expect(text).toMatch(/^started\n\[Still running in the background: \d+ \(sleep\)\]$/);
  expect(result.remainingPids).toHaveLength(1);
  for (const pid of result.remainingPids) process.kill(pid);
});

test('a background process can go on writing after its call', async () => {
  const { result } = await bash(
    '(for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.05; done; echo done > finished) &',
  );
  expect(result.outcome).toBe(Outcome.SUCCESS);
  const { text } = await bash(
    'for i in $(seq 50); do [ -e finished ] && break; sleep 0.05; done; cat finished',
  );
  expect(text).toBe('done');
});

test('a timeout kills everything, also what ignores TERM or left the session, and keeps the output', async () => {
  const { result, text } = await bash(
    "echo before; bash -c 'trap \"\" TERM; echo $$; sleep 61; :' & setsid bash -c 'echo $$; sleep 62; :' & sleep 63",
    1000,
  );
  expect(result.outcome).toBe(Outcome.TIMED_OUT);
  expect(text).toContain('before\n');
  expect(text).toContain(
    '[Timed out: the command took longer than 1000 ms; everything it had started was ended]',
  );
  const pids = text.split('\n').filter(line => /^\d+$/.test(line));
  expect(pids).toHaveLength(2);
  expect(pids.map(pid => isAlive(Number(pid)))).toEqual([false, false]);
});

test('the time the call has left ends it too', async () => {
  const { result } = await sandbox.call(
    'Bash',
    { command: 'sleep 30' },
    { timeout: { seconds: 0n, nanos: 300e6 } },
  );
  expect(result.outcome).toBe(Outcome.TIMED_OUT);
});

test('cancel ends the command and the result says why', async () => {
  const running = sandbox.call('Bash', { command: 'echo begun; sleep 30' }, { callId: 'to-cancel' });
  const stream = sandbox.client.execute({ call: { callId: 'to-cancel', attempt: 1 }, attach: {} });
  for await (const { message } of stream) if (message.case === 'output') break;
  const answer = await sandbox.client.cancel({
    callId: 'to-cancel',
    attempt: 1,
    reason: 'the person stopped it',
  });
  expect(answer.wasRunning).toBe(true);
  const { result, text } = await running;
  expect(result.outcome).toBe(Outcome.INTERRUPTED);
  expect(text).toMatch(
    /^begun\n\[Interrupted: the person stopped it; everything it had started was ended\]$/,
  );
});

test('a client that leaves kills nothing, and attaching replays what it missed', async () => {
  const left = new AbortController();
  const call = { callId: 'left-alone', attempt: 1, toolName: 'Bash', context: { sessionId: 'session one' } };
  const argumentsJson = JSON.stringify({ command: 'echo one; sleep 0.3; echo two' });
  const first = sandbox.client.execute({ call: { ...call, argumentsJson } }, { signal: left.signal });
  await expect(
    (async () => {
      for await (const { message } of first) if (message.case === 'output') left.abort();
    })(),
  ).rejects.toThrow();
  let replayed = '';
  for await (const { message } of sandbox.client.execute({ call, attach: { stdoutOffset: 2n } })) {
    if (message.case === 'output') replayed += Buffer.from(message.value.data).toString();
    if (message.case === 'result') expect(message.value.outcome).toBe(Outcome.SUCCESS);
  }
  expect(replayed).toBe('e\ntwo\n');
});

test('raw bytes reach the stream unchanged in pieces of at most 64 KiB', async () => {
  const { raw, output } = await bash('head -c 300000 /dev/urandom | tee bytes');
  expect(raw.equals(readFileSync(join(sandbox.workspace(), 'bytes')))).toBe(true);
  expect(Math.max(...output.map(chunk => chunk.data.length))).toBeLessThanOrEqual(64 * 1024);
});

test('long output keeps its head and its tail', async () => {
  const { result, text } = await bash('seq 1 200000; echo LAST >&2; exit 3');
  expect(text).toMatch(/^1\n2\n/);
  expect(text).toMatch(/bytes omitted here/);
  expect(text).toContain('\nLAST\n');
  expect(text).toMatch(/\[Exit code 3\]$/);
  expect(text.length).toBeLessThan(40_000);
  expect(result.truncation?.totalBytes).toBe(1_288_900n);
  expect(result.exitCode).toBe(3);
});

test('nothing waits for input or a person', async () => {
  const { text } = await bash(
    'cat; read -r x; echo "rc=$?"; python3 -c "input()" 2>&1 | tail -1; git --version >/dev/null',
  );
  expect(text).toBe('rc=1\nEOFError: EOF when reading a line');
});

test('the environment is an allow-list', async () => {
  process.env['CANARY_KEY'] = 'canary-0001';
  const { text } = await sandbox.call(
    'Bash',
    { command: 'env; tr "\\0" "\\n" </proc/self/environ' },
    { sessionId: 'env' },
  );
  delete process.env['CANARY_KEY'];
  expect(text).toContain('PATH=');
  expect(text).not.toContain('canary');
  expect(text).not.toContain('TOOLGATE');
});

test('standard output and error can be opened by name', async () => {
  const { output } = await bash('echo a >/dev/stdout; echo b >/dev/stderr; echo c | tee /dev/stderr');
  const written = (stream: OutputStream): string =>
    output.map(chunk => (chunk.stream === stream ? Buffer.from(chunk.data).toString() : '')).join('');
  expect(written(OutputStream.STDOUT)).toBe('a\nc\n');
  expect(written(OutputStream.STDERR)).toBe('b\nc\n');
});

test('a script of two megabytes runs, and is in no argument list', async () => {
  const { text } = await bash(
    `: ${'x'.repeat(2_000_000)}\ntr '\\0' '\\n' </proc/$$/cmdline | grep -c xxx; echo end`,
  );
  expect(text).toBe('0\nend');
});

test('what the shell says about an error is about the script alone', async () => {
  expect((await bash('no-such-program')).text).toBe(
    'bash: line 1: no-such-program: command not found\n[Exit code 127]',
  );
});

test('the end of a script by a signal is no success', async () => {
  const { result } = await bash('kill -SEGV $$');
  expect(result).toMatchObject({ outcome: Outcome.ERROR, signal: 'SIGSEGV' });
  expect(result.exitCode).toBeUndefined();
});

test.each([
  [{ command: 'echo a\0b' }, /NUL/],
  [{ command: 'true', surprise: 1 }, /surprise/],
  [{ command: 'true', timeout: 600_001 }, /timeout/],
  [{}, /command/],
])('arguments %j are refused', async (input, message) => {
  const { result, text } = await sandbox.call('Bash', input);
  expect(result).toMatchObject({ outcome: Outcome.ERROR, reason: OutcomeReason.INVALID_ARGUMENTS });
  expect(text).toMatch(message);
});

test('calls that come together run one after the other', async () => {
  const calls = [1, 2, 3].map(() => bash('test -e busy && echo clash; touch busy; sleep 0.1; rm busy'));
  expect((await Promise.all(calls)).map(({ text }) => text)).toEqual([
    '[No output.]',
    '[No output.]',
    '[No output.]',
  ]);
});

test('a call that is cancelled while it waits for its turn ends at once, and the one before goes on', async () => {
  const first = bash('touch first-runs; sleep 0.5; echo first');
  const second = sandbox.call('Bash', { command: 'echo second' }, { callId: 'waits' });
  await expect.poll(() => existsSync(join(sandbox.workspace(), 'first-runs'))).toBe(true);
  await expect
    .poll(async () => (await sandbox.client.cancel({ callId: 'waits', attempt: 1 })).wasRunning)
    .toBe(true);
  const winner = await Promise.race([first.then(() => 'first'), second.then(() => 'second')]);
  expect(winner).toBe('second');
  expect((await second).result.outcome).toBe(Outcome.INTERRUPTED);
  expect((await first).text).toBe('first');
});
