import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { runNpm } from './packages.mjs';
import { startProgress } from './progress.mjs';

/**
 * Generates the protobuf code unless it was made from these very files.
 *
 * @param {{ projectFolder: string, logFolder: string }} options
 */
export async function ensureGeneratedCode({ projectFolder, logFolder }) {
  const protoFolder = join(projectFolder, 'proto');
  const stampPath = join(protoFolder, 'gen', '.stamp');
  const stamp = hashOfSources(protoFolder, join(projectFolder, 'package-lock.json'));
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp) return;
  const progress = startProgress({ title: 'Generating code from proto/' });
  try {
    await runNpm(['run', '--silent', 'generate'], {
      projectFolder,
      logPath: join(logFolder, 'generate.log'),
    });
    writeFileSync(stampPath, stamp);
    progress.done('Code generated from proto/');
  } catch (error) {
    progress.fail();
    throw error;
  }
}

/**
 * @param {string} protoFolder
 * @param {string} packageLock the generators' versions are in it
 */
function hashOfSources(protoFolder, packageLock) {
  const hash = createHash('sha256').update(readFileSync(packageLock));
  const names = /** @type {string[]} */ (readdirSync(protoFolder, { recursive: true }))
    .filter(name => /\.(proto|yaml)$/.test(name) && !name.startsWith(`gen${sep}`))
    .sort();
  for (const name of names) {
    hash.update(`\n${name}\n`).update(readFileSync(join(protoFolder, name)));
  }
  return hash.digest('hex');
}
