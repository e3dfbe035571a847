import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SandboxService } from '#gen/toolgate/sandbox/v1/sandbox_service_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { LABEL } from '#sandbox/container-options.ts';
import { codeOf, messageOf } from '#test/code-of.ts';
import { type CallOutcome, startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';
import { testSandboxImage } from '#test/test-sandbox-image.ts';

const MIB = 1024 * 1024;
const docker = new Docker();
const markedImage = `toolgate-settings-test-${randomUUID()}:marked`;
const used = new Set<string>();
let sandbox: TestSandbox;
let settings: Client<typeof SandboxService>;
let connection: Http2SessionManager;

beforeAll(async () => {
  await makeMarkedImage();
  sandbox = await startTestSandbox({
    type: 'DOCKER',
    bounds: {
      images: [markedImage.replace(/marked$/, '*')],
      max: { memoryBytes: 256 * MIB, cpuMillis: 1000, maxProcesses: 128 },
      environmentNames: ['GREETING'],
    },
  });
  connection = new Http2SessionManager(sandbox.address);
  const transport = createGrpcTransport({
    baseUrl: sandbox.address,
    sessionManager: connection,
    interceptors: [
      next => request => {
        request.header.set('authorization', `Bearer ${sandbox.config.token}`);
        return next(request);
      },
    ],
  });
  settings = createClient(SandboxService, transport);
});

afterAll(async () => {
  await Promise.all([...used].map(sessionId => sandbox.client.closeSession({ sessionId })));
  connection?.abort();
  await sandbox?.[Symbol.asyncDispose]();
  await docker.getImage(markedImage).remove({ force: true });
});

/** The image of the other tests with one file more, made offline. */
async function makeMarkedImage(): Promise<void> {
  const [repo, tag] = markedImage.split(':');
  const container = await docker.createContainer({
    Image: testSandboxImage(),
    Entrypoint: ['/bin/sh', '-c', 'echo yes > /etc/marked'],
    User: '0',
  });
  await container.start();
  await container.wait();
  await container.commit({ repo, tag });
  await container.remove({ force: true });
}

function bash(command: string, sessionId: string): Promise<CallOutcome> {
  used.add(sessionId);
  return sandbox.call('Bash', { command }, { sessionId });
}

const TAKE_150_MIB = 'python3 -c "x = bytearray(150 * 1024 * 1024)"';

test('a session with less memory runs out of it where one with the default does not, also in a new container', async () => {
  await settings.configure({ sessionId: 'small', settings: { memoryBytes: BigInt(128 * MIB) } });
  const outOfMemory = { outcome: Outcome.ERROR, reason: OutcomeReason.OUT_OF_MEMORY };
  expect((await bash(TAKE_150_MIB, 'small')).result).toMatchObject(outOfMemory);
  expect((await bash(TAKE_150_MIB, 'large')).result.outcome).toBe(Outcome.SUCCESS);
  const label = [`${LABEL.owner}=${sandbox.config.owner}`, `${LABEL.session}=small`];
  const [first] = await docker.listContainers({ filters: { label } });
  await docker.getContainer(first?.Id ?? '').kill({ signal: 'SIGKILL' });
  await expect.poll(async () => (await docker.listContainers({ filters: { label } })).length).toBe(0);
  expect((await bash(TAKE_150_MIB, 'small')).result).toMatchObject(outOfMemory);
});

test('a session with fewer processes cannot start as many', async () => {
  await settings.configure({ sessionId: 'few', settings: { maxProcesses: 40 } });
  const many = 'for i in $(seq 60); do sleep 2 & done 2>&1; echo started';
  expect((await bash(many, 'few')).text).toContain('Resource temporarily unavailable');
  expect((await bash(many, 'many')).text).toMatch(/^started\n/);
});

test('another image on the list is used, and a variable arrives', async () => {
  const chosen = { image: markedImage, environment: { GREETING: 'good day' } };
  await settings.configure({ sessionId: 'marked', settings: chosen });
  expect((await bash('cat /etc/marked; echo "$GREETING"', 'marked')).text).toBe('yes\ngood day');
});

test.each([
  ['image', { image: 'elsewhere:1' }, 'elsewhere:1'],
  ['memory_bytes', { memoryBytes: BigInt(512 * MIB) }, String(256 * MIB)],
  ['max_processes', { maxProcesses: 4 }, '32 to 128'],
  ['environment', { environment: { LD_PRELOAD: '/x' } }, 'GREETING'],
])('a value of %s outside the bounds is refused by name', async (field, chosen, bound) => {
  const refused = () => settings.configure({ sessionId: 'refused', settings: chosen });
  expect(await codeOf(refused())).toBe('InvalidArgument');
  const message = await messageOf(refused());
  expect(message).toContain(`sandbox setting ${field}`);
  expect(message).toContain(bound);
});

test('settings may be repeated but not changed once the sandbox exists, and are listed', async () => {
  await settings.configure({ sessionId: 'fixed', settings: { cpuMillis: 500 } });
  await bash('true', 'fixed');
  const again = await settings.configure({ sessionId: 'fixed', settings: { cpuMillis: 500 } });
  expect(again.effective).toMatchObject({ cpuMillis: 500, maxProcesses: 128 });
  const other = settings.configure({ sessionId: 'fixed', settings: { cpuMillis: 600 } });
  expect(await codeOf(other)).toBe('FailedPrecondition');
  const { sandboxes } = await settings.listSandboxes({});
  expect(sandboxes.find(({ sessionId }) => sessionId === 'fixed')?.settings?.cpuMillis).toBe(500);
});
