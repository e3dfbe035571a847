import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from '../bootstrap/logged-command.mjs';
import { CommandFailure } from '../command-failure.ts';
import { hasProgram, runCommand } from '../processes/run-command.ts';
import { fetchPackageLists, hasPackageLists, installPackages, isDebianRoot } from './debian-packages.ts';
import { hashOfFiles } from './hash-of-files.ts';
import { pullImage } from './pull-image.ts';

/** Makes a base image out of Debian packages. */
const OFFLINE_SCRIPT = 'offline-base.sh';

/** What finding a base image needs. */
export interface BaseImageOptions {
  readonly imagesFolder: string;
  readonly logFolder: string;
  readonly detail: (text: string) => void;
  readonly signal: AbortSignal;
}

/** An image to build on, and whether it was made without a registry. */
export interface BaseImage {
  readonly name: string;
  readonly isOffline: boolean;
}

/**
 * The image that the Dockerfile names, pulled where it is missing; where no registry answers, one made from Debian's
 * packages.
 */
export async function findBaseImage(options: BaseImageOptions): Promise<BaseImage> {
  const publicBase = defaultBase(readFileSync(join(options.imagesFolder, 'Dockerfile'), 'utf8'));
  if (await hasImage(publicBase, options.signal)) return { name: publicBase, isOffline: false };
  const offlineBase = `toolgate-offline-base:${hashOfFiles(options.imagesFolder, [OFFLINE_SCRIPT])}`;
  if (await hasImage(offlineBase, options.signal)) return { name: offlineBase, isOffline: true };
  options.detail(`pulling ${publicBase}`);
  const pulled = await pullImage(publicBase, options);
  if (pulled.kind === 'pulled') return { name: publicBase, isOffline: false };
  if (!isDebianRoot()) {
    throw new CommandFailure(
      `The base image ${publicBase} could not be pulled (${pulled.problem}), and only root on Debian can make one without a registry: load it by hand ("docker load") or let Docker reach a registry, then run this again.`,
    );
  }
  options.detail('no image registry answers, making a base image from Debian packages');
  await makeOfflineBase(offlineBase, options);
  return { name: offlineBase, isOffline: true };
}

/** True when the daemon has the image. */
export async function hasImage(name: string, signal: AbortSignal): Promise<boolean> {
  return (
    (await runCommand('docker', ['image', 'inspect', '--format', '{{.Id}}', name], { signal })).code === 0
  );
}

function defaultBase(dockerfile: string): string {
  const base = /^ARG\s+BASE_IMAGE=(\S+)/m.exec(dockerfile)?.[1];
  if (base === undefined)
    throw new CommandFailure('sandbox-images/Dockerfile has no "ARG BASE_IMAGE=…" line.');
  return base;
}

async function makeOfflineBase(name: string, options: BaseImageOptions): Promise<void> {
  const apt = { ...options, logPath: join(options.logFolder, 'apt-debootstrap.log') };
  if (!(await hasProgram('debootstrap', options.signal))) await installPackages(['debootstrap'], apt);
  if (!hasPackageLists()) await fetchPackageLists(apt);
  await runLogged({
    command: 'bash',
    args: [join(options.imagesFolder, OFFLINE_SCRIPT), name],
    cwd: '/',
    logPath: join(options.logFolder, 'offline-base.log'),
    signal: options.signal,
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
    onLine: line => options.detail(`offline base, ${line.replace(/^I: /, '')}`),
  });
}
