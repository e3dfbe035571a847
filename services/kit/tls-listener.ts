import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync, unwatchFile, watchFile } from 'node:fs';
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import type { Logger } from '#kit/logger.ts';

/** Files in PEM format that a server proves with who it is. */
export interface TlsFiles {
  /** The server's certificate, followed by those between it and its CA. */
  readonly certFile: string;
  /** Its private key, unencrypted and readable by its owner only. */
  readonly keyFile: string;
  /** Given, every client needs a certificate of this CA. */
  readonly clientCaFile?: string | undefined;
}

/** How often the files are looked at for new content. */
const FILE_CHECK_MS = 1_000;
/** Time a client may take to agree on a secure connection. */
const HANDSHAKE_TIMEOUT_MS = 30_000;

/** Reads the files; throws an Error that names the one that is missing, readable by others or does not fit. */
export function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsFiles): TlsOptions {
  if ((statSync(keyFile).mode & 0o077) !== 0) {
    throw new Error(`${keyFile} may be read by others; make it mode 0600`);
  }
  const cert = readFileSync(certFile);
  const key = readFileSync(keyFile);
  const certificate = parsed(certFile, 'certificate', () => new X509Certificate(cert));
  const privateKey = parsed(keyFile, 'unencrypted private key', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`${keyFile} is not the key of the certificate in ${certFile}`);
  }
  if (clientCaFile === undefined) return { cert, key };
  const ca = readFileSync(clientCaFile);
  parsed(clientCaFile, 'CA certificate', () => new X509Certificate(ca));
  return { cert, key, ca, requestCert: true, rejectUnauthorized: true };
}

/**
 * A server that is not listening yet and hands on each secure connection. While it listens it takes changed files into
 * use for new connections; files that do not fit together leave the earlier ones in use.
 */
export function createTlsListener(
  files: TlsFiles,
  logger: Logger,
  onConnection: (socket: TLSSocket) => void,
): Server {
  const server = createServer(
    {
      ...readTlsFiles(files),
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      noDelay: true,
    },
    onConnection,
  );
  const reload = (): void => {
    try {
      server.setSecureContext({ ...readTlsFiles(files), minVersion: 'TLSv1.2' });
      logger.info('new certificate in use');
    } catch (error) {
      logger.warn({ err: error }, 'the changed certificate files cannot be used; the earlier ones stay');
    }
  };
  const paths = Object.values(files).filter(path => path !== undefined);
  server.once('listening', () => {
    for (const path of paths) watchFile(path, { interval: FILE_CHECK_MS, persistent: false }, reload);
  });
  server.once('close', () => {
    for (const path of paths) unwatchFile(path, reload);
  });
  return server;
}

function parsed<Value>(path: string, what: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${path} holds no ${what} in PEM format`, { cause: error });
  }
}
