import { z } from 'zod';

/** Where the toolbox listens: a Unix socket, or loopback TCP. */
export type ToolboxListen =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number };

/** Settings of one toolbox. */
export interface ToolboxSettings {
  readonly listen: ToolboxListen;
  /** Wanted as a bearer from every caller. */
  readonly token: string;
  /** The folder that belongs to the session. */
  readonly workspace: string;
  /** A second folder the file tools may use, for example /tmp; undefined for none. */
  readonly scratch: string | undefined;
  /** Owner of the commands' processes and files; undefined runs them as the toolbox itself. */
  readonly commandUser: { readonly uid: number; readonly gid: number } | undefined;
  /** HOME of the commands. */
  readonly home: string;
  readonly ripgrepPath: string;
  /** A folder of the toolbox's own, which commands cannot enter. */
  readonly runtimeDir: string;
  /** How commands are told apart when a call is killed. */
  readonly ownsAllProcesses: boolean;
  /** Ends the toolbox when its standard input closes, so that it never outlives what started it. */
  readonly endWithStdin: boolean;
  /** Group that may connect to the socket besides its owner; undefined for none. */
  readonly socketMode: number;
}

const flag = z.stringbool().default(false);
const absolutePath = z.string().startsWith('/');

const environmentSchema = z.object({
  TOOLGATE_SOCKET: absolutePath.optional(),
  TOOLGATE_HOST: z.string().default('127.0.0.1'),
  TOOLGATE_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  TOOLGATE_TOKEN: z.string().min(16),
  TOOLGATE_WORKSPACE: absolutePath,
  TOOLGATE_SCRATCH: absolutePath.optional(),
  TOOLGATE_COMMAND_UID: z.coerce.number().int().min(1).optional(),
  TOOLGATE_COMMAND_GID: z.coerce.number().int().min(1).optional(),
  TOOLGATE_HOME: absolutePath,
  TOOLGATE_RIPGREP: absolutePath,
  TOOLGATE_RUNTIME_DIR: absolutePath,
  TOOLGATE_OWNS_ALL_PROCESSES: flag,
  TOOLGATE_END_WITH_STDIN: flag,
  TOOLGATE_SOCKET_GROUP: flag,
});

/** Reads the settings; throws an Error that names each variable that is wrong. */
export function readSettings(environment: NodeJS.ProcessEnv): ToolboxSettings {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) throw new Error(`toolbox settings are wrong:\n${z.prettifyError(parsed.error)}`);
  const values = parsed.data;
  const uid = values.TOOLGATE_COMMAND_UID;
  const gid = values.TOOLGATE_COMMAND_GID;
  if ((uid === undefined) !== (gid === undefined)) {
    throw new Error('set TOOLGATE_COMMAND_UID and TOOLGATE_COMMAND_GID together, or neither');
  }
  return {
    listen: listenAddress(values.TOOLGATE_SOCKET, values.TOOLGATE_HOST, values.TOOLGATE_PORT),
    token: values.TOOLGATE_TOKEN,
    workspace: values.TOOLGATE_WORKSPACE,
    scratch: values.TOOLGATE_SCRATCH,
    commandUser: uid === undefined || gid === undefined ? undefined : { uid, gid },
    home: values.TOOLGATE_HOME,
    ripgrepPath: values.TOOLGATE_RIPGREP,
    runtimeDir: values.TOOLGATE_RUNTIME_DIR,
    ownsAllProcesses: values.TOOLGATE_OWNS_ALL_PROCESSES,
    endWithStdin: values.TOOLGATE_END_WITH_STDIN,
    socketMode: values.TOOLGATE_SOCKET_GROUP ? 0o660 : 0o600,
  };
}

function listenAddress(
  socketPath: string | undefined,
  host: string,
  port: number | undefined,
): ToolboxListen {
  if (socketPath !== undefined) return { socketPath };
  if (port === undefined) throw new Error('set TOOLGATE_SOCKET, or TOOLGATE_PORT for loopback TCP');
  return { host, port };
}
