import { type DestinationStream, type Level, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Where the secrets of this project's own objects lie; pino replaces what it finds there. */
const SECRET_PATHS = ['authorization', 'token', 'apiKey', 'password', 'secret'].flatMap(name => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** What a logger is made of; `destination` defaults to standard output. */
export interface LoggerOptions {
  readonly name: string;
  readonly level: Level | 'silent';
  readonly destination?: DestinationStream;
}

/** Standard output that may be full or gone: a process must not die of what it wanted to say. */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ fd: 1, sync: true });
  stream.on('error', () => undefined);
  return stream;
}

/** JSON-lines logger that never writes fields named like a secret. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    redact: { paths: SECRET_PATHS, censor: '[secret]' },
    base: { pid: process.pid },
  };
  return pino(settings, options.destination ?? standardOutput());
}
