import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runLogged } from './logged-command.mjs';
import { startProgress } from './progress.mjs';

/** @typedef {Record<string, { version?: string, optional?: boolean }>} Packages */

/**
 * Installs npm's packages unless node_modules already holds what package-lock.json says.
 *
 * @param {{ projectFolder: string, logFolder: string }} options
 */
export async function ensurePackages({ projectFolder, logFolder }) {
  const modules = join(projectFolder, 'node_modules');
  const stampPath = join(modules, '.toolgate-packages');
  const lockText = readFileSync(join(projectFolder, 'package-lock.json'), 'utf8');
  const stamp = createHash('sha256').update(`${lockText}\n${process.platform}-${process.arch}`).digest('hex');
  const nodeIsThere = () => existsSync(join(modules, '.bin', 'node'));
  if (nodeIsThere() && readOr(stampPath, '') === stamp) return;
  const packages = JSON.parse(lockText).packages;
  if (!nodeIsThere() || !installedByHand(packages, modules)) {
    await install({ projectFolder, logFolder });
    if (!nodeIsThere()) {
      throw new Error(
        'npm installed the packages but ran no install scripts, and Node 24 comes by one: ' +
          'unset ignore-scripts ("npm config get ignore-scripts") and try again.',
      );
    }
  }
  writeFileSync(stampPath, stamp);
}

/** @param {{ projectFolder: string, logFolder: string }} options */
async function install({ projectFolder, logFolder }) {
  const progress = startProgress({ title: 'Installing npm packages' });
  try {
    // NODE_ENV=production would leave out what the tests and the code generator need.
    await runNpm(['ci', '--include=dev', '--no-audit', '--no-fund'], {
      projectFolder,
      logPath: join(logFolder, 'npm-ci.log'),
    });
    progress.done('npm packages installed');
  } catch (error) {
    progress.fail();
    throw error;
  }
}

/**
 * Runs npm: the one that runs this script when there is one.
 *
 * @param {string[]} args
 * @param {{ projectFolder: string, logPath: string }} options
 */
export function runNpm(args, { projectFolder, logPath }) {
  const { npm_execpath: running } = process.env;
  const isNpm = running !== undefined && basename(running).startsWith('npm-cli');
  return runLogged({
    command: isNpm ? process.execPath : 'npm',
    args: isNpm ? [running, ...args] : args,
    cwd: projectFolder,
    logPath,
  });
}

/**
 * True when npm's own record of what it installed has every package that is wanted, as after a plain "npm install".
 *
 * @param {Packages} wanted
 * @param {string} modules
 */
function installedByHand(wanted, modules) {
  return namesMissing(wanted, modules).length === 0;
}

/**
 * Names of packages that the project wants and npm has not installed, or in another version.
 *
 * @param {string} projectFolder
 */
export function missingPackages(projectFolder) {
  const lockText = readFileSync(join(projectFolder, 'package-lock.json'), 'utf8');
  return namesMissing(JSON.parse(lockText).packages, join(projectFolder, 'node_modules'));
}

/**
 * @param {Packages} wanted
 * @param {string} modules
 */
function namesMissing(wanted, modules) {
  const record = readOr(join(modules, '.package-lock.json'), '');
  const installed = record === '' ? {} : JSON.parse(record).packages;
  return Object.entries(wanted).flatMap(([path, entry]) => {
    const isThere =
      path === '' ||
      installed[path]?.version === entry.version ||
      (installed[path] === undefined && entry.optional === true);
    return isThere ? [] : [path.replace(/^node_modules\//, '')];
  });
}

/**
 * @param {string} path
 * @param {string} fallback
 */
function readOr(path, fallback) {
  return existsSync(path) ? readFileSync(path, 'utf8') : fallback;
}
