import { existsSync } from 'node:fs';
import { CommandFailure } from '../command-failure.ts';
import { hasProgram, runCommand } from '../processes/run-command.ts';
import { installPackages, mayInstallPackages } from './debian-packages.ts';
import type { SetupStep } from './setup-step.ts';
import { startDockerDaemon } from './start-docker-daemon.ts';

/** A daemon that does not answer in this time is taken for none. */
const ANSWER_TIMEOUT_MS = 10_000;
const UNIX_SCHEME = 'unix://';
const DEFAULT_HOST = `${UNIX_SCHEME}/var/run/docker.sock`;

/** The step that makes a Docker daemon answer. A daemon that already does is used as it is, wherever it runs. */
export function dockerDaemonStep(options: { readonly logFolder: string }): SetupStep {
  return {
    title: 'Docker',
    readyTitle: 'Docker ready',
    isDone: async signal => (await askDocker(signal)).answers,
    run: async (detail, signal) => {
      const { problem } = await askDocker(signal);
      await refuseWhatIsNotOurs(problem, signal);
      const complete = (await hasProgram('dockerd', signal)) && (await hasProgram('docker', signal));
      if (!complete) {
        refuseToInstall();
        await installPackages(await dockerPackages(signal), {
          logPath: `${options.logFolder}/apt-docker.log`,
          detail,
          signal,
        });
      }
      await startDockerDaemon({
        logFolder: options.logFolder,
        detail,
        signal,
        wasJustInstalled: !complete,
        answers: async () => (await askDocker(signal)).answers,
      });
    },
  };
}

/** Whether a daemon answers and which version it has, or else what the docker command said. */
export async function askDocker(
  signal: AbortSignal,
): Promise<{ readonly answers: boolean; readonly problem: string; readonly version: string }> {
  const asked = await runCommand('docker', ['version', '--format', '{{.Server.Version}}'], {
    signal,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  const problem = asked.code === -1 ? 'it did not answer in 10 s' : asked.stderr.trim();
  const version = asked.stdout.trim();
  return { answers: asked.code === 0 && version !== '', problem, version };
}

/** Unix socket of the daemon that the docker command uses, also where a Docker context says so. */
export async function dockerSocket(signal: AbortSignal): Promise<string> {
  const host = (await dockerHost(signal)) ?? DEFAULT_HOST;
  if (host.startsWith(UNIX_SCHEME)) return host.slice(UNIX_SCHEME.length);
  throw new CommandFailure(
    `Docker is at ${host}, but sandboxes share files with it and need a daemon on this machine: unset DOCKER_HOST or choose another Docker context.`,
  );
}

async function dockerHost(signal: AbortSignal): Promise<string | undefined> {
  const context = await runCommand('docker', ['context', 'inspect', '-f', '{{.Endpoints.docker.Host}}'], {
    signal,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  const host = context.stdout.trim();
  return context.code === 0 && host !== '' ? host : undefined;
}

async function refuseWhatIsNotOurs(problem: string, signal: AbortSignal): Promise<void> {
  const again = 'then run this again.';
  if (process.env['DOCKER_HOST'] !== undefined) {
    throw new CommandFailure(
      `Docker at DOCKER_HOST=${process.env['DOCKER_HOST']} does not answer (${problem}): start it or unset DOCKER_HOST, ${again}`,
    );
  }
  if (/permission denied/i.test(problem)) {
    throw new CommandFailure(
      `Docker runs but this user may not use it: add the user to the group "docker" and log in anew, ${again}`,
    );
  }
  const host = await dockerHost(signal);
  if (process.platform !== 'linux' || (host !== undefined && host !== DEFAULT_HOST)) {
    throw new CommandFailure(
      `No Docker daemon answers${host === undefined ? '' : ` at ${host}`}: install Docker (https://docs.docker.com/get-docker/) and start it, ${again}`,
    );
  }
  if (process.getuid?.() !== 0) {
    const command = existsSync('/run/systemd/system') ? ' ("sudo systemctl start docker")' : '';
    throw new CommandFailure(
      `No Docker daemon answers, and only root can start one: install Docker if it is missing and start it${command}, ${again}`,
    );
  }
}

function refuseToInstall(): void {
  if (mayInstallPackages()) return;
  throw new CommandFailure(
    'Docker is not installed: install it (https://docs.docker.com/engine/install/), then run this again.',
  );
}

/** From Debian 13 on the docker command is a package of its own. */
async function dockerPackages(signal: AbortSignal): Promise<string[]> {
  const own = await runCommand('apt-cache', ['show', 'docker-cli'], { signal });
  const needsCommand = own.code === 0 && own.stdout !== '' && !(await hasProgram('docker', signal));
  return needsCommand ? ['docker.io', 'docker-cli'] : ['docker.io'];
}
