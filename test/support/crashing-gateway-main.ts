import { readConfig } from '#gateway/config.ts';
import { createGateway } from '#gateway/gateway.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { createLogger } from '#kit/logger.ts';

// A gateway that kills itself right before or right after its n-th commit, as a power switch would.
const [moment, number] = process.argv.slice(2);
const config = readConfig(process.env);
const logger = createLogger({ name: 'gateway', level: 'info' });
let commits = 0;

function dieAt(now: 'before' | 'after', commit: number): void {
  if (now === moment && commit === Number(number)) process.kill(process.pid, 'SIGKILL');
}

const gateway = await createGateway({
  config,
  logger,
  env: {},
  openStore: async options => {
    const store = await openStore(options);
    return {
      ...store,
      commit: async change => {
        commits += 1;
        const own = commits;
        dieAt('before', own);
        await store.commit(change);
        dieAt('after', own);
      },
    };
  },
});
logger.info({ address: gateway.address }, 'gateway ready');
