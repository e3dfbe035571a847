// Sends a message to an agent, answers what it asks permission for, and prints its answer.
//
// Nothing but Connect for Node and the stubs in proto/gen. What happens meanwhile is shown on
// standard error; the answer alone goes to standard output.

import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { type Options, parseOptions } from './options.ts';
import { oneLine, say, visible } from './transcript.ts';
import { runTurn } from './turn.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

async function main(options: Options): Promise<number> {
  // A connection that vanished without a word is noticed after two of these times.
  const connection = new Http2SessionManager(options.address, { pingIntervalMs: 20_000 });
  const withToken: Interceptor = next => request => {
    request.header.set('authorization', `Bearer ${options.token}`);
    return next(request);
  };
  const sessions = createClient(
    SessionService,
    createGrpcTransport({
      baseUrl: options.address,
      sessionManager: connection,
      interceptors: [withToken],
      readMaxBytes: 16 * 1024 * 1024,
    }),
  );
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  try {
    process.stdout.write(`${visible((await runTurn(sessions, options, interrupt.signal)).trim())}\n`);
    return 0;
  } catch (error) {
    if (interrupt.signal.aborted) return EXIT_INTERRUPTED;
    say(describe(error));
    return EXIT_FAILED;
  } finally {
    connection.abort();
  }
}

function describe(error: unknown): string {
  return error instanceof ConnectError
    ? `The gateway answered ${Code[error.code]}: ${oneLine(error.rawMessage)}`
    : oneLine(error instanceof Error ? error.message : String(error));
}

const options = await parseOptions(process.argv.slice(2)).catch((error: Error) => {
  say(error.message);
  process.exit(EXIT_USAGE);
});
process.exitCode = await main(options);
