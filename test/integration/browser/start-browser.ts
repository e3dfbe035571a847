import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { installPackages, mayInstallPackages } from '../../../cli/setup/debian-packages.ts';

/** Where Debian's package puts it. */
const CHROMIUM = '/usr/bin/chromium';
const INSTALL_LIMIT_MS = 600_000;
const LOG_PATH = fileURLToPath(new URL('../../../.toolgate/setup/chromium.log', import.meta.url));

/** Why no browser can be started here; undefined once there is one. Installs it where this process may. */
export async function missingBrowser(): Promise<string | undefined> {
  if (existsSync(CHROMIUM)) return undefined;
  if (mayInstallPackages()) {
    await installPackages(['chromium'], {
      logPath: LOG_PATH,
      detail: () => undefined,
      signal: AbortSignal.timeout(INSTALL_LIMIT_MS),
    });
    return undefined;
  }
  const reason = `there is no ${CHROMIUM}; install the package chromium`;
  if (process.env['CI'] !== undefined) throw new Error(reason);
  process.stderr.write(`The tests in a browser are skipped: ${reason}\n`);
  return reason;
}

/** A headless Chromium with a profile of its own, which talks to nothing but what a page calls. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
