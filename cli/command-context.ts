import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CliIo } from './cli-io.ts';
import { createGatewayClient, type GatewayClient } from './client/gateway-client.ts';
import { CommandFailure, EXIT_CODES } from './command-failure.ts';
import { type DataFolder, dataFolderAt } from './processes/data-folder.ts';
import { createTextStyle, type TextStyle } from './render/text-style.ts';

/** Options that every command has. */
interface GlobalOptions {
  readonly address?: string;
  readonly tokenFile?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** What a command works with. */
export interface CommandContext {
  readonly io: CliIo;
  readonly isJson: boolean;
  readonly style: TextStyle;
  readonly folder: DataFolder;
  /** Address of the gateway as options, environment and data folder say. */
  readonly address: string;
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
  const isJson = options.json === true;
  const address = checkedAddress(
    options.address ?? TOOLGATE_ADDRESS ?? addressOfRunning(folder) ?? DEFAULT_ADDRESS,
  );
  const ownToken = (): string | undefined => {
    if (options.tokenFile !== undefined) return readToken(resolve(io.workingFolder, options.tokenFile));
    if (TOOLGATE_TOKEN !== undefined && TOOLGATE_TOKEN !== '') return TOOLGATE_TOKEN;
    return existsSync(folder.tokens.owner) ? readToken(folder.tokens.owner) : undefined;
  };
  return {
    io,
    isJson,
    folder,
    address,
    style: createTextStyle(io.stdout),
    connect: other => {
      const token = other === undefined ? ownToken() : readToken(other.tokenFile);
      return createGatewayClient({
        address: other?.address ?? address,
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

/** The address that the gateway of a data folder wrote when it became ready. */
function addressOfRunning(folder: DataFolder): string | undefined {
  if (!existsSync(folder.gatewayInfo)) return undefined;
  const info: unknown = JSON.parse(readFileSync(folder.gatewayInfo, 'utf8'));
  return typeof info === 'object' && info !== null && 'address' in info ? String(info.address) : undefined;
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
