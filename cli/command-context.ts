import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CliIo } from './cli-io.ts';
import { createGatewayClient, type GatewayClient } from './client/gateway-client.ts';
import { CommandFailure, EXIT_CODES } from './command-failure.ts';
import { type DataFolder, dataFolderAt } from './processes/data-folder.ts';
import { readGatewayInfo } from './processes/gateway-process.ts';
import { livingPid } from './processes/pid-file.ts';
import { createTextStyle, type TextStyle } from './render/text-style.ts';

/** Options that every command has. */
interface GlobalOptions {
  readonly address?: string;
  readonly tokenFile?: string;
  readonly data?: string;
  readonly json?: boolean;
  /** Form of a list, for the commands that have one. */
  readonly output?: string;
}

/** What a command works with. */
export interface CommandContext {
  readonly io: CliIo;
  readonly isJson: boolean;
  /** Lists show all they know and cut nothing. */
  readonly isWide: boolean;
  readonly style: TextStyle;
  readonly folder: DataFolder;
  /** Address of the gateway as options, environment and data folder say; undefined when the folder's does not run. */
  readonly address: string | undefined;
  /** A client with the caller's token, or with another address and token; whoever asks for it disposes it. */
  connect(other?: { readonly address: string; readonly tokenFile: string }): GatewayClient;
  /** A line for a person; nothing with --json. */
  say(text: string): void;
  /** A line of --json. */
  writeJson(value: unknown): void;
}

const DEFAULT_ADDRESS = 'http://127.0.0.1:7420';

/** Reads the options that every command has. */
export function createCommandContext(command: Command, io: CliIo): CommandContext {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { TOOLGATE_DATA, TOOLGATE_ADDRESS, TOOLGATE_TOKEN } = io.env;
  const root = options.data ?? TOOLGATE_DATA ?? join(io.projectFolder, '.toolgate');
  const folder = dataFolderAt(resolve(io.workingFolder, root));
  const isJson = options.json === true || options.output === 'json';
  const named = options.address ?? TOOLGATE_ADDRESS;
  const address = named === undefined ? addressOfFolder(folder) : checkedAddress(named);
  const ownToken = (): string | undefined => {
    if (options.tokenFile !== undefined) return readToken(resolve(io.workingFolder, options.tokenFile));
    if (TOOLGATE_TOKEN !== undefined && TOOLGATE_TOKEN !== '') return TOOLGATE_TOKEN;
    return existsSync(folder.tokens.owner) ? readToken(folder.tokens.owner) : undefined;
  };
  return {
    io,
    isJson,
    isWide: options.output === 'wide',
    folder,
    address,
    style: createTextStyle(io.stdout),
    connect: other => {
      const token = other === undefined ? ownToken() : readToken(other.tokenFile);
      return createGatewayClient({
        address: other?.address ?? runningAddress(address, folder),
        ...(token === undefined ? {} : { token }),
      });
    },
    say: text => {
      if (!isJson) io.stdout.write(`${text}\n`);
    },
    writeJson: value => {
      io.stdout.write(`${JSON.stringify(value)}\n`);
    },
  };
}

/**
 * Where the gateway of a data folder listens. The default address is for folders that never had one: any other gateway
 * there must not get to see the tokens of this folder.
 */
function addressOfFolder(folder: DataFolder): string | undefined {
  const wasStarted = existsSync(folder.pidFiles.gateway);
  if (wasStarted && livingPid(folder.pidFiles.gateway) === undefined) return undefined;
  const running = readGatewayInfo(folder)?.address;
  return running ?? (existsSync(folder.gatewayYaml) ? undefined : DEFAULT_ADDRESS);
}

function runningAddress(address: string | undefined, folder: DataFolder): string {
  if (address !== undefined) return address;
  throw new CommandFailure(
    `The gateway of ${folder.root} does not run: start it with "npm start" or "toolgate up".`,
    EXIT_CODES.unreachable,
  );
}

function checkedAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw new CommandFailure(
    `"${text}" is no address of a gateway: write it like http://127.0.0.1:7420 or https://toolgate.example.org.`,
    EXIT_CODES.usage,
  );
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(
      `Cannot read the token file ${path}: ${error instanceof Error ? error.message : String(error)}`,
      EXIT_CODES.usage,
      error,
    );
  }
}
