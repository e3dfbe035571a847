import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { Isolation } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { connectExecutor } from '#kit/executor-client.ts';
import { startTestSandbox } from '#test/test-sandbox.ts';

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => ConnectError.from(reason),
  );
  return error instanceof ConnectError ? Code[error.code] : error.message;
}

test('Describe names the six tools and that nothing is isolated, and starts no sandbox', async () => {
  await using sandbox = await startTestSandbox();
  const description = await sandbox.client.describe({});
  expect(description.isolation).toBe(Isolation.NONE);
  expect(description.manifest?.tools.map(tool => tool.name)).toEqual([
    'Bash',
    'Edit',
    'Glob',
    'Grep',
    'Read',
    'Write',
  ]);
  expect(existsSync(sandbox.config.socketDir)).toBe(false);
});

test('WatchTools gives the manifest once to who does not have it', async () => {
  await using sandbox = await startTestSandbox();
  const watching = new AbortController();
  for await (const { manifest } of sandbox.client.watchTools({}, { signal: watching.signal })) {
    expect(manifest?.hash).toMatch(/^[0-9a-f]{64}$/);
    break;
  }
  watching.abort();
});

test('a wrong token, no token, an unknown tool and a missing session are refused with the right code', async () => {
  await using sandbox = await startTestSandbox();
  for (const token of [undefined, 'wrong']) {
    const link = connectExecutor({ address: sandbox.address, token: () => token });
    expect(await codeOf(link.client.describe({}))).toBe('Unauthenticated');
    link.close();
  }
  expect(await codeOf(sandbox.call('Nope', {}))).toBe('NotFound');
  expect(await codeOf(sandbox.call('Bash', { command: 'true' }, { sessionId: '' }))).toBe('InvalidArgument');
});

test('sessions have their own workspaces and working directories', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.call('Bash', { command: 'mkdir d; cd d; echo mine > f' }, { sessionId: 'one' });
  const { text } = await sandbox.call('Bash', { command: 'pwd; ls' }, { sessionId: 'two' });
  expect(text).toBe(sandbox.workspace('two'));
});

test('first calls that come together share one sandbox', async () => {
  await using sandbox = await startTestSandbox();
  const calls = [1, 2, 3, 4].map(() => sandbox.call('Bash', { command: 'echo $PPID' }));
  const parents = (await Promise.all(calls)).map(({ text }) => text);
  expect(new Set(parents).size).toBe(1);
});

test('a toolbox that dies ends its call with SANDBOX_LOST and what was printed, and the next call works', async () => {
  await using sandbox = await startTestSandbox();
  const running = sandbox.call(
    'Bash',
    { command: 'echo kept > file; echo $PPID; sleep 3' },
    { callId: 'dies' },
  );
  const follow = { call: { callId: 'dies', attempt: 1 }, attach: {} };
  await expect.poll(() => existsSync(join(sandbox.workspace(), 'file'))).toBe(true);
  let toolboxPid = 0;
  for await (const { message } of sandbox.client.execute(follow)) {
    if (message.case !== 'output') continue;
    toolboxPid = Number(Buffer.from(message.value.data).toString());
    break;
  }
  process.kill(toolboxPid, 'SIGKILL');
  const { result, text } = await running;
  expect(result).toMatchObject({ outcome: Outcome.ERROR, reason: OutcomeReason.SANDBOX_LOST });
  expect(text).toMatch(/^\d+\n\[The sandbox was lost while this ran/);
  expect((await sandbox.call('Bash', { command: 'cat file' })).text).toBe('kept');
});

test('CloseSession ends what runs, deletes the workspace, and may be repeated', async () => {
  await using sandbox = await startTestSandbox();
  const running = sandbox.call('Bash', { command: 'echo $$ > pid; sleep 60' }, { callId: 'running' });
  const pidFile = join(sandbox.workspace(), 'pid');
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim()).toMatch(/^\d+$/);
  const pid = readFileSync(pidFile, 'utf8').trim();
  await sandbox.client.closeSession({ sessionId: 'session one' });
  expect((await running).result.outcome).toBe(Outcome.INTERRUPTED);
  expect(existsSync(`/proc/${pid}`)).toBe(false);
  expect(readdirSync(join(sandbox.config.dataDir, 'sessions'))).toEqual([]);
  expect(existsSync(sandbox.config.socketDir)).toBe(false);
  await sandbox.client.closeSession({ sessionId: 'session one' });
});

test('more sandboxes than allowed are refused, and one that closes makes room', async () => {
  await using sandbox = await startTestSandbox({ maxSandboxes: 1 });
  await sandbox.call('Bash', { command: 'true' }, { sessionId: 'one' });
  expect(await codeOf(sandbox.call('Bash', { command: 'true' }, { sessionId: 'two' }))).toBe(
    'ResourceExhausted',
  );
  await sandbox.client.closeSession({ sessionId: 'one' });
  const { result } = await sandbox.call('Bash', { command: 'true' }, { sessionId: 'two' });
  expect(result.outcome).toBe(Outcome.SUCCESS);
});

test('a socket folder with too long a path is named as the reason', async () => {
  await using sandbox = await startTestSandbox({ socketDir: `/tmp/${'x'.repeat(120)}` });
  await expect(sandbox.call('Bash', { command: 'true' })).rejects.toThrow('longer than 107 bytes');
});
