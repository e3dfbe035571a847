import { createLogger } from '#kit/logger.ts';
import { readConfig } from '#sandbox/config.ts';
import { startSandboxExecutor } from '#sandbox/sandbox-executor.ts';

const config = readConfig(process.env);
const logger = createLogger({ name: 'sandbox', level: config.logLevel });
const executor = await startSandboxExecutor(config, logger);
logger.info({ address: executor.address, type: config.type }, 'ready');
process.stdout.write(`${JSON.stringify({ ready: true, address: executor.address })}\n`);

await new Promise<void>(resolve => {
  process.once('SIGTERM', () => resolve());
  process.once('SIGINT', () => resolve());
});
await executor.close();
logger.info('stopped');
process.exit(0);
