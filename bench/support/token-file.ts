import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A token that a gateway and one executor share, in a folder that is removed with it. */
export interface TokenFile extends AsyncDisposable {
  /** Absolute path; tokens never stand in arguments. */
  readonly path: string;
  /** Folder of the file, for whatever else the executor keeps. */
  readonly folder: string;
}

/** Makes a token. */
export async function createTokenFile(): Promise<TokenFile> {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-bench-'));
  const path = join(folder, 'executor.token');
  await writeFile(path, randomBytes(32).toString('base64url'), { mode: 0o600 });
  return { path, folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
