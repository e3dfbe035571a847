import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { Code, ConnectError } from '@connectrpc/connect';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Isolation } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { connectExecutor } from '#kit/executor-client.ts';
import { LABEL } from '#sandbox/container-options.ts';
import { type CallOutcome, startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';

const docker = new Docker();
let sandbox: TestSandbox;

beforeAll(async () => {
  sandbox = await startTestSandbox({ type: 'DOCKER' });
});

afterAll(async () => {
  const { sessions } = await ownedBy(sandbox.config.owner);
  await Promise.all(sessions.map(sessionId => sandbox.client.closeSession({ sessionId })));
  await sandbox[Symbol.asyncDispose]();
  expect(await ownedBy(sandbox.config.owner)).toEqual({ containers: [], volumes: [], sessions: [] });
});

/** What an owner has in Docker: container ids, volume names, and the sessions of either. */
async function ownedBy(owner: string) {
  const filters = { label: [`${LABEL.owner}=${owner}`] };
  const containers = await docker.listContainers({ all: true, filters });
  const volumes = (await docker.listVolumes({ filters })).Volumes;
  const sessions = [...containers, ...volumes].map(({ Labels }) => Labels[LABEL.session] ?? '');
  return {
    containers: containers.map(({ Id }) => Id),
    volumes: volumes.map(({ Name }) => Name),
    sessions: [...new Set(sessions)],
  };
}

const bash = (command: string, sessionId?: string, timeout?: number): Promise<CallOutcome> =>
  sandbox.call(
    'Bash',
    { command, ...(timeout === undefined ? {} : { timeout }) },
    sessionId === undefined ? {} : { sessionId },
  );

async function containerOf(sessionId: string): Promise<Docker.Container> {
  const label = [`${LABEL.owner}=${sandbox.config.owner}`, `${LABEL.session}=${sessionId}`];
  const [found] = await docker.listContainers({ filters: { label } });
  if (found === undefined) throw new Error(`session ${sessionId} has no container`);
  return docker.getContainer(found.Id);
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => ConnectError.from(reason),
  );
  return error instanceof ConnectError ? Code[error.code] : error.message;
}

test('Describe says that calls are isolated by containers, and makes none', async () => {
  const fresh = await startTestSandbox({ type: 'DOCKER' });
  expect((await fresh.client.describe({})).isolation).toBe(Isolation.CONTAINER);
  expect((await ownedBy(fresh.config.owner)).containers).toEqual([]);
  await fresh[Symbol.asyncDispose]();
});

test('a wrong token is Unauthenticated', async () => {
  const link = connectExecutor({ address: sandbox.address, token: () => 'wrong' });
  expect(await codeOf(link.client.describe({}))).toBe('Unauthenticated');
  link.close();
});

test('all six tools work together in one container', async () => {
  const sessionId = 'all tools';
  const call = async (tool: string, input: unknown): Promise<string> =>
    (await sandbox.call(tool, input, { sessionId })).text;
  expect(await call('Write', { file_path: 'src/a.py', content: 'print(6 * 7)\n' })).toContain(
    'Created src/a.py',
  );
  expect(await call('Edit', { file_path: 'src/a.py', old_string: '7', new_string: '8' })).toContain('line 1');
  expect(await call('Read', { file_path: 'src/a.py' })).toBe('     1\tprint(6 * 8)');
  expect(await call('Glob', { pattern: '*.py' })).toBe('src/a.py');
  expect(await call('Grep', { pattern: 'print' })).toBe('src/a.py:1:print(6 * 8)');
  expect(await call('Bash', { command: 'python3 src/a.py' })).toBe('48');
  expect(await call('Bash', { command: 'stat -c "%u:%g %a" src src/a.py' })).toBe(
    '1000:1000 755\n1000:1000 644',
  );
});

test('the network cannot be reached, not even the host', async () => {
  const host = createServer(socket => socket.end('reached'));
  await new Promise<void>(resolve => host.listen(0, '0.0.0.0', resolve));
  const address = host.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { text } = await bash(
    `for a in 172.17.0.1 127.0.0.1; do (exec 3<>/dev/tcp/$a/${port} && cat <&3) 2>&1; done; ls /sys/class/net`,
  );
  host.close();
  expect(text).not.toContain('reached');
  expect(text.split('\n').at(-1)).toBe('lo');
});

test('nothing but the workspace and temporary memory can be written', async () => {
  const { text } = await bash(
    'for d in / /etc /usr /usr/local/bin /var /var/tmp /root /home /home/agent /opt/toolgate /opt/toolgate/run /opt/toolgate/socket /proc /sys; do ' +
      '(echo x > $d/probe) 2>/dev/null && echo "wrote $d"; done; ' +
      'for d in /workspace /tmp "$HOME"; do echo x > $d/probe && echo "ok $d"; done',
  );
  expect(text).toBe('ok /workspace\nok /tmp\nok /tmp/home');
});

test('file tools stay in the workspace and /tmp, and work with the rights of the commands', async () => {
  await bash('ln -s /etc/passwd leak; ln -s /opt/toolgate/run/x in; echo tmp > /tmp/t');
  for (const file_path of ['/etc/passwd', 'leak', '/proc/1/environ', 'in']) {
    expect((await sandbox.call('Read', { file_path })).result.outcome).toBe(Outcome.ERROR);
    expect((await sandbox.call('Write', { file_path, content: 'x' })).result.outcome).toBe(Outcome.ERROR);
  }
  expect((await sandbox.call('Read', { file_path: '/tmp/t' })).text).toContain('tmp');
  await bash('mkdir -m 700 closed; echo secret > closed/f; chmod 000 closed/f');
  expect((await sandbox.call('Read', { file_path: 'closed/f' })).text).toContain('permission denied');
});

test('commands can neither reach, kill nor look into the toolbox', async () => {
  const { text } = await bash(
    'for p in /proc/[0-9]*; do pid=$(basename $p); [ "$(stat -c %u $p)" = 0 ] || continue; ' +
      'kill -9 $pid 2>/dev/null && echo "killed $pid"; cat $p/environ 2>/dev/null && echo "read $pid"; ls $p/fd 2>/dev/null; done; ' +
      'python3 -c "import socket; socket.socket(socket.AF_UNIX).connect(\'/opt/toolgate/socket/s\')" 2>&1 | tail -1; ' +
      'ls /opt/toolgate/socket /opt/toolgate/run 2>&1; grep CapEff /proc/self/status; sudo -n true 2>&1 | head -1',
  );
  expect(text).toMatch(/^PermissionError/);
  expect(text).not.toMatch(/killed|read \d/);
  expect(text.match(/Permission denied/g)?.length).toBe(3);
  expect(text).toContain('CapEff:\t0000000000000000');
  await bash('kill -9 -1');
  expect((await bash('echo alive')).text).toBe('alive');
});

test('a timeout leaves no process, however it hid', async () => {
  const { result, text } = await bash(
    'env -i setsid bash -c "trap \\"\\" TERM; sleep 61; :" & (setsid setsid sleep 62 &) ; nohup sleep 63 >/dev/null 2>&1 & echo out; sleep 64',
    'timeouts',
    500,
  );
  expect(result.outcome).toBe(Outcome.TIMED_OUT);
  expect(text).toContain('out\n');
  expect((await bash('ps -eo args | grep -c "[s]leep"', 'timeouts')).text).toMatch(/^0/);
});

test('a background process of an earlier call survives the timeout of a later one', async () => {
  await bash('nohup sleep 300 >/dev/null 2>&1 &', 'background');
  await bash('sleep 60', 'background', 300);
  expect((await bash('pgrep -x sleep | wc -l', 'background')).text).toBe('1');
});

test('a fork bomb ends with its call', async () => {
  const { result } = await bash('bomb() { bomb | bomb & }; bomb; sleep 60', 'bomb', 1500);
  expect(result.outcome).toBe(Outcome.TIMED_OUT);
  expect((await bash('echo alive', 'bomb')).text).toBe('alive');
});

test('a command that takes too much memory is named as such, and the sandbox goes on', async () => {
  const { result, text } = await bash('python3 -c "x = bytearray(900 * 1024 * 1024)"', 'memory');
  expect(result).toMatchObject({
    outcome: Outcome.ERROR,
    reason: OutcomeReason.OUT_OF_MEMORY,
    exitCode: 137,
  });
  expect(text).toContain('ran out of memory');
  expect((await bash('echo alive', 'memory')).text).toBe('alive');
});

test('kill -9 of the container during a call is SANDBOX_LOST, and the next call has the same workspace', async () => {
  const sessionId = 'killed';
  const running = sandbox.call(
    'Bash',
    { command: 'echo kept > file; echo before; sleep 60' },
    { sessionId, callId: 'killed' },
  );
  const follow = { call: { callId: 'killed', attempt: 1, toolName: 'Bash', context: { sessionId } } };
  for await (const { message } of sandbox.client.execute(follow)) if (message.case === 'output') break;
  await (await containerOf(sessionId)).kill({ signal: 'SIGKILL' });
  const { result, text } = await running;
  expect(result).toMatchObject({ outcome: Outcome.ERROR, reason: OutcomeReason.SANDBOX_LOST });
  expect(text).toMatch(/^before\n\[The sandbox was lost while this ran: its container was killed\./);
  expect((await bash('cat file', sessionId)).text).toBe('kept');
});

test('a session does not see the files of another', async () => {
  await bash('echo private > /tmp/p; echo private > p', 'mine');
  expect((await bash('cat /tmp/p p 2>&1 | grep -c private', 'yours')).text).toMatch(/^0/);
});

test('CloseSession removes container and volume fast, ends what runs, and may be repeated', async () => {
  const sessionId = 'closing';
  await bash('echo old > file', sessionId);
  const running = sandbox.call('Bash', { command: 'echo begun; sleep 60' }, { sessionId, callId: 'closing' });
  const follow = { call: { callId: 'closing', attempt: 1, toolName: 'Bash', context: { sessionId } } };
  for await (const { message } of sandbox.client.execute(follow)) if (message.case === 'output') break;
  const startedMs = performance.now();
  await sandbox.client.closeSession({ sessionId });
  expect(performance.now() - startedMs).toBeLessThan(5000);
  expect((await running).result.outcome).toBe(Outcome.INTERRUPTED);
  expect((await ownedBy(sandbox.config.owner)).sessions).not.toContain(sessionId);
  await sandbox.client.closeSession({ sessionId });
  expect((await bash('ls -A', sessionId)).text).toBe('[No output.]');
});

test('a session that closes while its sandbox is being made leaves nothing', async () => {
  const sessionId = 'closed early';
  const code = codeOf(bash('true', sessionId));
  await expect.poll(async () => (await ownedBy(sandbox.config.owner)).sessions).toContain(sessionId);
  await sandbox.client.closeSession({ sessionId });
  expect(['Canceled', 'nothing was refused']).toContain(await code);
  expect((await ownedBy(sandbox.config.owner)).sessions).not.toContain(sessionId);
});

test('an executor that stops removes its containers and keeps workspaces; the next one goes on with them', async () => {
  const first = await startTestSandbox({ type: 'DOCKER' });
  await first.call('Bash', { command: 'echo kept > file' });
  await first[Symbol.asyncDispose]();
  const left = await ownedBy(first.config.owner);
  expect(left.containers).toEqual([]);
  expect(left.volumes).toHaveLength(1);
  const second = await startTestSandbox({ type: 'DOCKER', owner: first.config.owner });
  expect((await second.call('Bash', { command: 'cat file' })).text).toBe('kept');
  await second.client.closeSession({ sessionId: 'session one' });
  await second[Symbol.asyncDispose]();
  expect((await ownedBy(first.config.owner)).volumes).toEqual([]);
});

test('leftovers of a killed predecessor are removed at start, those of another owner are not', async () => {
  await bash('true', 'not a leftover');
  const owner = `${sandbox.config.owner}-old`;
  const leftover = await docker.createContainer({
    Image: sandbox.config.image,
    Cmd: ['true'],
    Labels: { [LABEL.owner]: owner, [LABEL.session]: 'x', [LABEL.kind]: 'sandbox' },
  });
  const successor = await startTestSandbox({ type: 'DOCKER', owner });
  await expect(leftover.inspect()).rejects.toThrow('No such container');
  expect((await containerOf('not a leftover')).id).toBeTruthy();
  await successor[Symbol.asyncDispose]();
});

test('a command that fills what its shell keeps open takes no room from the next one', async () => {
  await bash('sleep 30 & head -c 100M /dev/zero >&200');
  const { result, text } = await bash('echo fine');
  expect(result.outcome).toBe(Outcome.SUCCESS);
  expect(text).toContain('fine');
});

test('an image that is not there is one clear sentence', async () => {
  const other = await startTestSandbox({ type: 'DOCKER', image: 'toolgate-no-such-image:1' });
  await expect(other.call('Bash', { command: 'true' })).rejects.toThrow(
    /No such image: toolgate-no-such-image:1/,
  );
  expect(await codeOf(other.call('Bash', { command: 'true' }))).toBe('FailedPrecondition');
  expect(existsSync(other.config.socketDir)).toBe(false);
  await other[Symbol.asyncDispose]();
});

test('Docker that is not reachable is Unavailable before anything ran', async () => {
  const other = await startTestSandbox({ type: 'DOCKER', dockerSocket: '/nonexistent/docker.sock' });
  await expect(other.call('Bash', { command: 'true' })).rejects.toThrow(
    'Docker cannot be reached at /nonexistent/docker.sock (ENOENT); nothing ran',
  );
  expect(await codeOf(other.call('Bash', { command: 'true' }))).toBe('Unavailable');
  await other[Symbol.asyncDispose]();
});
