/** Longest silence of a step whose output is no terminal. */
const LINE_INTERVAL_MS = 2_000;
/** Time between two frames of the spinner. */
const FRAME_INTERVAL_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** @typedef {NodeJS.WritableStream & { readonly isTTY?: boolean, readonly columns?: number }} Output */

/**
 * @typedef {object} Progress One step that a person watches.
 * @property {(text: string) => void} detail what the step is doing now
 * @property {(text?: string) => number} done prints the step's last line; returns the time it took in milliseconds
 * @property {(text?: string) => number} fail prints that the step failed; returns the time it took in milliseconds
 * @property {() => void} drop ends the step without a last line
 */

/**
 * Shows a step with its elapsed time: a spinner on a terminal, otherwise a line at least every two seconds.
 *
 * @param {{ title: string, output?: Output, quietMs?: number }} options quietMs: nothing is shown before
 * @returns {Progress}
 */
export function startProgress(options) {
  const output = options.output ?? process.stdout;
  const live = output.isTTY === true;
  const startedAtMs = Date.now();
  const quietMs = options.quietMs ?? 0;
  let detail = '';
  let frame = 0;
  const elapsedMs = () => Date.now() - startedAtMs;
  const clear = () => (live ? '\r\x1b[K' : '');
  const show = () => {
    if (elapsedMs() < quietMs) return;
    const text = `${options.title}${detail === '' ? '' : `: ${detail}`} (${seconds(elapsedMs(), 0)})`;
    if (live)
      output.write(`${clear()}${shortened(`${FRAMES[frame++ % FRAMES.length]} ${text}`, output.columns)}`);
    else output.write(`… ${text}\n`);
  };
  const timer = setInterval(show, live ? FRAME_INTERVAL_MS : LINE_INTERVAL_MS);
  /** @param {string} line */
  const end = line => {
    clearInterval(timer);
    output.write(`${clear()}${line}`);
    return elapsedMs();
  };
  return {
    detail: text => {
      detail = text;
    },
    done: text => end(`✓ ${text ?? options.title} (${seconds(elapsedMs(), 1)})\n`),
    fail: text => end(`✗ ${text ?? options.title} (${seconds(elapsedMs(), 1)})\n`),
    drop: () => void end(''),
  };
}

/**
 * Milliseconds as people read them.
 *
 * @param {number} ms
 * @param {number} digits
 */
export function seconds(ms, digits) {
  return `${(ms / 1000).toFixed(digits)} s`;
}

/**
 * @param {string} text
 * @param {number | undefined} columns
 */
function shortened(text, columns) {
  return columns !== undefined && text.length >= columns
    ? `${text.slice(0, Math.max(0, columns - 2))}…`
    : text;
}
