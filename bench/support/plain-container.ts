import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A container that nothing runs in but a sleep. Disposing removes it. */
export interface PlainContainer extends AsyncDisposable {
  /** Runs a command in it by the docker command line and waits for its end. */
  exec(...command: string[]): Promise<void>;
}

/** Starts the container from a local image, without a network as sandboxes are. */
export async function startPlainContainer(image: string, dockerSocket: string): Promise<PlainContainer> {
  const env = { ...process.env, DOCKER_HOST: `unix://${dockerSocket}` };
  const docker = (...args: string[]) => promisify(execFile)('docker', args, { env });
  const run = ['run', '--detach', '--init', '--network', 'none', '--label', 'dev.toolgate.bench=true'];
  const { stdout } = await docker(...run, '--entrypoint', 'sleep', image, 'infinity');
  const id = stdout.trim();
  return {
    exec: async (...command) => {
      await docker('exec', id, ...command);
    },
    [Symbol.asyncDispose]: async () => {
      await docker('rm', '--force', id);
    },
  };
}
