import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Enough hex digits of a SHA-256 to tell versions of a few files apart. */
const HASH_DIGITS = 12;

/** Changes with the name or content of any of the files, which are relative to the folder. */
export function hashOfFiles(folder: string, names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of [...names].sort()) {
    hash.update(`\n${name}\n`).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, HASH_DIGITS);
}
