import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '#kit/logger.ts';
import { ConfigError, type GatewayConfig, readConfig } from './config.ts';
import { createGateway } from './gateway.ts';
import { DataFolderInUseError } from './store/data-folder-lock.ts';

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger({ name: 'gateway', level: config.logLevel });
  const gateway = await createGateway({ config, logger, env: process.env });
  let closing = false;
  const close = async (signal: NodeJS.Signals): Promise<void> => {
    if (closing) return;
    closing = true;
    logger.info({ signal }, 'gateway drains');
    rmSync(readyFile(config), { force: true });
    await gateway.close();
    logger.info('gateway ended');
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void close(signal));
  // Last: whoever reads that the gateway is ready may end it at once.
  writeReadyFile(config, gateway.address);
  logger.info({ address: gateway.address }, 'gateway ready');
}

/** Tells other programs on this machine where the gateway is; it names no secret. */
function writeReadyFile(config: GatewayConfig, address: string): void {
  const unfinished = `${readyFile(config)}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify({ address, pid: process.pid })}\n`, { mode: 0o600 });
  renameSync(unfinished, readyFile(config));
}

function readyFile(config: GatewayConfig): string {
  return join(config.dataDir, 'gateway.json');
}

try {
  await main();
} catch (error) {
  const isExpected =
    error instanceof ConfigError ||
    error instanceof DataFolderInUseError ||
    (error instanceof Error && 'syscall' in error);
  process.stderr.write(
    `${isExpected ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(1);
}
