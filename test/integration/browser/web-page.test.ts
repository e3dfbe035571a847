import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killed, startNode } from '#test/node-process.ts';
import { startTestExecutor, type TestExecutor } from '#test/test-executor.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import { originOf, servePage } from '../../../examples/browser/serve-page.ts';
import { missingBrowser, startBrowser } from './start-browser.ts';

const START_LIMIT_MS = 700_000;
const script = {
  turns: [
    { text: 'I append <b>a line</b>.', calls: [{ tool: 'append', id: 'line', input: { line: 'one' } }] },
    { text: 'It is appended.' },
  ],
};

const missing = await missingBrowser();

describe.skipIf(missing !== undefined)('the example page in Chromium', () => {
  let listed: Server;
  let unlisted: Server;
  let executor: TestExecutor;
  let gateway: TestGateway;
  let browser: Browser;

  beforeAll(async () => {
    [listed, unlisted] = await Promise.all([servePage(0), servePage(0)]);
    executor = await startTestExecutor();
    gateway = await startTestGateway({
      agents: { clerk: { instructions: 'Append.', model: 'script:clerk.yaml' } },
      scripts: { 'clerk.yaml': script },
      executors: [executor],
      settings: { allowedOrigins: [originOf(listed)] },
    });
    browser = await startBrowser();
  }, START_LIMIT_MS);

  afterAll(async () => {
    await browser?.close();
    await gateway?.[Symbol.asyncDispose]();
    await executor?.[Symbol.asyncDispose]();
    listed?.close();
    unlisted?.close();
  });

  async function sendFrom(server: Server, token: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(originOf(server));
    await page.getByLabel('Gateway').fill(gateway.address);
    await page.getByLabel('Token').fill(token);
    await page.getByLabel('Agent').fill('clerk');
    await page.getByLabel('Message').fill('go on');
    await page.getByRole('button', { name: 'Send' }).click();
    return page;
  }

  it('lists the tools and runs a turn in which a person allows a call', async () => {
    const page = await sendFrom(listed, await gateway.folder.token('owner'));
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Done.', { exact: true }).waitFor();
    expect(await page.locator('#answer').textContent()).toBe('I append <b>a line</b>.\nIt is appended.\n');
    expect(await page.locator('#answer b').count()).toBe(0);
    expect(await page.locator('#tools li').allTextContents()).toContain('append (test)');
    const { sessions } = await gateway.owner.sessions.listSessions({});
    expect(sessions).toHaveLength(1);
  });

  it('is served by the command of its README', async () => {
    const printed = Promise.withResolvers<string>();
    const main = fileURLToPath(new URL('../../../examples/browser/main.ts', import.meta.url));
    const server = startNode([main, '0'], process.env, printed.resolve);
    try {
      const response = await fetch(await printed.promise);
      expect(await response.text()).toContain('<title>Toolgate in a browser</title>');
    } finally {
      await killed(server);
    }
  });

  it('tells a token that is wrong', async () => {
    const page = await sendFrom(listed, 'no-such-token');
    await page.getByText('Failed: Unauthenticated').waitFor();
  });

  it('gets nothing from an origin that is not listed, whatever its token', async () => {
    const before = await gateway.owner.sessions.listSessions({});
    const page = await sendFrom(unlisted, await gateway.folder.token('owner'));
    await page.getByText('Failed:').waitFor();
    expect(await page.locator('#tools li').count()).toBe(0);
    const after = await gateway.owner.sessions.listSessions({});
    expect(after.sessions.map(session => session.sessionId)).toEqual(
      before.sessions.map(session => session.sessionId),
    );
  });
});
