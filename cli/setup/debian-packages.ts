import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { runLogged } from '../bootstrap/logged-command.mjs';

const PACKAGE_LISTS = '/var/lib/apt/lists';

/** True on Debian and its kin when this process may install packages. */
export function mayInstallPackages(): boolean {
  return process.getuid?.() === 0 && /^ID(_LIKE)?=.*\bdebian\b/m.test(osRelease());
}

/** True on Debian itself, as root: what making an image from Debian's packages needs. */
export function isDebianRoot(): boolean {
  return process.getuid?.() === 0 && /^ID="?debian"?$/m.test(osRelease());
}

/** Where apt-get writes and what a person sees meanwhile. */
export interface AptOptions {
  readonly logPath: string;
  readonly detail: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Installs packages by apt-get; the lists are fetched first where there are none, or where they turn out to be old. */
export async function installPackages(packages: readonly string[], options: AptOptions): Promise<void> {
  const install = (): Promise<void> => {
    options.detail(`installing ${packages.join(', ')}`);
    return apt(['install', '--yes', '--no-install-recommends', ...packages], options);
  };
  if (hasPackageLists()) {
    try {
      await install();
      return;
    } catch {
      options.signal.throwIfAborted();
    }
  }
  await fetchPackageLists(options);
  await install();
}

/** Fetches the package lists of the configured mirrors. */
export function fetchPackageLists(options: AptOptions): Promise<void> {
  options.detail('fetching the package lists');
  return apt(['update'], options);
}

function apt(args: readonly string[], options: AptOptions): Promise<void> {
  return runLogged({
    command: 'apt-get',
    args: ['-o', 'DPkg::Lock::Timeout=300', ...args],
    cwd: '/',
    logPath: options.logPath,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    signal: options.signal,
  });
}

/** True when apt knows what its mirrors hold. */
export function hasPackageLists(): boolean {
  return existsSync(PACKAGE_LISTS) && readdirSync(PACKAGE_LISTS).some(name => name.includes('_Packages'));
}

function osRelease(): string {
  return existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
}
