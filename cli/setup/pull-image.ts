import { spawn } from 'node:child_process';

/** A registry that has not said anything in this time is taken for unreachable. */
const FIRST_ANSWER_TIMEOUT_MS = 20_000;
/** Longest pull of a base image (30 MB) over a slow line. */
const PULL_TIMEOUT_MS = 600_000;

/** How a pull ended. */
export type PullEnd = { readonly kind: 'pulled' } | { readonly kind: 'failed'; readonly problem: string };

/** Pulls an image; gives up early when the registry does not answer at all. */
export function pullImage(
  name: string,
  options: { readonly signal: AbortSignal; readonly firstAnswerTimeoutMs?: number },
): Promise<PullEnd> {
  const firstAnswerTimeoutMs = options.firstAnswerTimeoutMs ?? FIRST_ANSWER_TIMEOUT_MS;
  return new Promise(resolve => {
    const child = spawn('docker', ['pull', name], {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: options.signal,
      timeout: PULL_TIMEOUT_MS,
    });
    let problem = '';
    let gaveUp = false;
    const impatience = setTimeout(() => {
      gaveUp = true;
      child.kill('SIGKILL');
    }, firstAnswerTimeoutMs);
    // The first line names the repository; it comes once the registry has sent the manifest.
    child.stdout.once('data', () => clearTimeout(impatience));
    child.stderr.on('data', chunk => {
      problem += String(chunk);
    });
    child.once('error', error => {
      problem += error.message;
    });
    child.once('close', code => {
      clearTimeout(impatience);
      if (code === 0) resolve({ kind: 'pulled' });
      else if (gaveUp)
        resolve({ kind: 'failed', problem: `no registry answered in ${firstAnswerTimeoutMs / 1000} s` });
      else resolve({ kind: 'failed', problem: problem.trim().split('\n').at(-1) ?? '' });
    });
  });
}
