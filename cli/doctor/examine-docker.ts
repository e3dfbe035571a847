import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure } from '../command-failure.ts';
import { hasProgram, runCommand } from '../processes/run-command.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { hasImage } from '../setup/base-image.ts';
import { askDocker, dockerSocket } from '../setup/docker-daemon.ts';
import { sandboxImageName } from '../setup/sandbox-image.ts';
import { clockProblem } from './clock-problem.ts';
import { type Finding, finding } from './finding.ts';

/** Older daemons lack parts of the API that sandboxes use. */
const OLDEST_DOCKER = [20, 10] as const;
const ANSWER_TIMEOUT_MS = 10_000;

/** Looks at the Docker daemon: that it answers this user, how old it is, what time it has, and the sandbox image. */
export async function* examineDocker(projectFolder: string, signal: AbortSignal): AsyncGenerator<Finding> {
  const { answers, problem, version } = await askDocker(signal);
  if (!answers) {
    yield finding('Docker', await silenceProblem(problem, signal));
    return;
  }
  yield finding(`Docker ${escapeToOneLine(version)}`, versionProblem(version));
  yield finding('Docker socket', await socketProblem(signal));
  yield finding('Clock of Docker', await dockerClockProblem(signal));
  const image = sandboxImageName(join(projectFolder, 'sandbox-images'));
  const isThere = await hasImage(image, signal);
  yield finding(`Sandbox image ${image}`, isThere ? undefined : 'it is not built: run "npm start".');
}

/** Why no daemon answers: the command, its rights, or the daemon itself. */
async function silenceProblem(said: string, signal: AbortSignal): Promise<string> {
  if (!(await hasProgram('docker', signal))) {
    return 'the docker command is missing: install Docker (https://docs.docker.com/engine/install/); as root on Debian "npm start" does it.';
  }
  if (process.env['DOCKER_HOST'] !== undefined) {
    return `nothing answers at DOCKER_HOST=${process.env['DOCKER_HOST']}: start it or unset DOCKER_HOST.`;
  }
  const socket = await dockerSocket(signal).catch(() => undefined);
  if (/permission denied/i.test(said) && socket !== undefined && existsSync(socket)) {
    const { gid, mode } = statSync(socket);
    const rights = (mode & 0o777).toString(8);
    return `this user may not use ${socket} (group ${gid}, mode ${rights}): run "sudo usermod -aG docker $USER" and log in anew.`;
  }
  const start = existsSync('/run/systemd/system')
    ? 'run "sudo systemctl start docker"'
    : 'as root run "npm start"';
  return `${escapeToOneLine(said) || 'no daemon answers'}: ${start}.`;
}

function versionProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_DOCKER;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? `sandboxes need Docker ${OLDEST_DOCKER.join('.')} or newer: update it.` : undefined;
}

/** Sandboxes share a folder with the daemon, so it must be on this machine. */
async function socketProblem(signal: AbortSignal): Promise<string | undefined> {
  try {
    const socket = await dockerSocket(signal);
    return existsSync(socket) ? undefined : `${socket} is not there, although Docker answers.`;
  } catch (error) {
    if (error instanceof CommandFailure) return error.message;
    throw error;
  }
}

async function dockerClockProblem(signal: AbortSignal): Promise<string | undefined> {
  const askedAtMs = Date.now();
  const info = await runCommand('docker', ['info', '--format', '{{.SystemTime}}'], {
    signal,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  const answeredAtMs = Date.now();
  const theirMs = Date.parse(info.stdout.trim());
  if (Number.isNaN(theirMs)) return undefined;
  // The daemon looked at its clock somewhere between question and answer.
  if (theirMs > answeredAtMs) return clockProblem('Docker', theirMs - answeredAtMs);
  return theirMs < askedAtMs ? clockProblem('Docker', theirMs - askedAtMs) : undefined;
}
