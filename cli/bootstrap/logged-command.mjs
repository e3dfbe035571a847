import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';

/** Lines from the start of a log that a failure shows: npm names the cause first and its manual last. */
const HEAD_LINES = 8;
/** Lines from the end of a log that a failure shows. */
const TAIL_LINES = 20;

/**
 * Runs a command with all of its output in a file. A failure throws an error that names the file and shows its start
 * and end.
 *
 * @param {object} options
 * @param {string} options.command
 * @param {readonly string[]} options.args
 * @param {string} options.cwd
 * @param {string} options.logPath
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {AbortSignal} [options.signal] ends the command
 * @param {(line: string) => void} [options.onLine] sees each line of the output
 * @returns {Promise<void>}
 */
export async function runLogged(options) {
  const log = createWriteStream(options.logPath, { mode: 0o600 });
  const commandLine = [options.command, ...options.args].join(' ');
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(log, { end: false });
    if (options.onLine !== undefined) eachLine(stream, options.onLine);
  }
  const end = await /** @type {Promise<string | undefined>} */ (
    new Promise(settle => {
      child.once('error', error => settle(error.message));
      child.once('close', (code, signal) => settle(code === 0 ? undefined : `exit ${code ?? signal}`));
    })
  );
  log.end();
  await finished(log);
  if (end !== undefined) {
    throw new Error(
      `${commandLine} failed (${end})\n${excerptOf(options.logPath)}\nWhole output: ${options.logPath}`,
    );
  }
}

/**
 * The last lines of a file, indented.
 *
 * @param {string} path
 */
export function tailOf(path) {
  return indented(linesOf(path).slice(-TAIL_LINES));
}

/** @param {string} path */
function excerptOf(path) {
  const lines = linesOf(path);
  const omitted = lines.length - HEAD_LINES - TAIL_LINES;
  if (omitted <= 0) return indented(lines);
  return indented([...lines.slice(0, HEAD_LINES), `… ${omitted} more lines …`, ...lines.slice(-TAIL_LINES)]);
}

/** @param {string} path */
function linesOf(path) {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

/** @param {readonly string[]} lines */
function indented(lines) {
  return lines.map(line => `  ${line}`).join('\n');
}

/**
 * @param {NodeJS.ReadableStream} stream
 * @param {(line: string) => void} onLine
 */
function eachLine(stream, onLine) {
  let rest = '';
  stream.on('data', chunk => {
    const lines = (rest + String(chunk)).split(/[\r\n]+/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line.trim());
  });
}
