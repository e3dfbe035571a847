import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareClient, startExampleClient } from '#test/example-client.ts';
import { pythonClient } from '#test/python-client.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import { startTestSandbox, type TestSandbox } from '#test/test-sandbox.ts';

const python = await prepareClient(pythonClient);

describe.skipIf(python.kind === 'missing')('The Python client on a real sandbox', () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  let sessionId = '';

  beforeAll(async () => {
    sandbox = await startTestSandbox({ type: 'DOCKER' });
    gateway = await startTestGateway({
      executors: [{ name: 'sandbox', address: sandbox.address, token: sandbox.config.token }],
      settings: {
        agentsDir: resolve('examples/agents'),
        models: { scriptsDir: resolve('examples/scripts') },
      },
    });
  });

  afterAll(async () => {
    if (sessionId !== '') await gateway.owner.sessions.deleteSession({ sessionId });
    await gateway?.[Symbol.asyncDispose]();
    await sandbox?.[Symbol.asyncDispose]();
  });

  test('plays the demo turn and answers its permission requests', async () => {
    const client = startExampleClient(python, [
      'What is the total revenue in this table, without cancelled orders?',
      ...['--file', resolve('examples/data/orders.csv')],
      ...['--address', gateway.address],
      ...['--token-file', join(gateway.folder.dataDir, 'tokens', 'owner.token')],
      '--yes',
    ]);
    [sessionId] = await client.shows(/ses_[0-9a-f-]{36}/);
    const { exitCode, stdout, stderr } = await client.end;
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain('The total revenue without cancelled orders is 40,355.80.');
    const asked = stderr.match(/^asks {6}.*/gm) ?? [];
    expect(asked).toEqual([
      expect.stringMatching(/^asks {6}Write \{.*report\.py/),
      expect.stringMatching(/^asks {6}Bash \{.*python3 report\.py/),
      expect.stringMatching(/^asks {6}Bash \{.*python3 report\.py/),
    ]);
    expect(stderr).toMatch(/^outcome {3}ERROR/m);
    expect(stderr).toMatch(/^outcome {3}DENIED/m);
  });
});
