import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate with its key, as files and as text. */
export interface TestCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority that signs for 127.0.0.1. */
export interface TestAuthority {
  readonly caFile: string;
  readonly ca: string;
  sign(name: string): Promise<TestCertificate>;
}

const run = promisify(execFile);
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority in a folder that is the caller's to remove; nothing of it is valid for more than a day. */
export async function createTestAuthority(folder: string, name: string): Promise<TestAuthority> {
  await mkdir(folder, { recursive: true });
  const file = (suffix: string): string => join(folder, `${name}.${suffix}`);
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args, { cwd: folder });
  await openssl(
    'req',
    '-x509',
    ...NEW_KEY,
    '-days',
    '1',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    file('key'),
    '-out',
    file('pem'),
  );
  await writeFile(file('ext'), 'subjectAltName=IP:127.0.0.1\n');
  const sign = async (leaf: string): Promise<TestCertificate> => {
    const certFile = join(folder, `${leaf}.pem`);
    const keyFile = join(folder, `${leaf}.key`);
    const request = join(folder, `${leaf}.csr`);
    await openssl('req', ...NEW_KEY, '-subj', `/CN=${leaf}`, '-keyout', keyFile, '-out', request);
    await openssl(
      'x509',
      '-req',
      '-in',
      request,
      '-CA',
      file('pem'),
      '-CAkey',
      file('key'),
      '-CAcreateserial',
      '-days',
      '1',
      '-extfile',
      file('ext'),
      '-out',
      certFile,
    );
    return {
      certFile,
      keyFile,
      cert: await readFile(certFile, 'utf8'),
      key: await readFile(keyFile, 'utf8'),
    };
  };
  return { caFile: file('pem'), ca: await readFile(file('pem'), 'utf8'), sign };
}
