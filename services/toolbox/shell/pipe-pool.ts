import { execFile } from 'node:child_process';
import { constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A pipe: the end a command writes to, and the end that is read here. */
export interface Pipe {
  /** Given to the command and closed here once it has started. */
  readonly writeFd: number;
  readonly reader: Socket;
}

const execute = promisify(execFile);
/** Pipes made by one run of mkfifo, which costs as much as any other process. */
const BATCH = 32;

/**
 * Makes pipes for the output of commands. Node's own are socket pairs, on which `echo x > /dev/stderr` fails, so these
 * are FIFOs; their names are gone as soon as both ends are open.
 */
export class PipePool {
  readonly #folder: string;
  readonly #names: string[] = [];
  #made = 0;

  /** `folder` must be the toolbox's own. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(): Promise<Pipe> {
    if (this.#names.length === 0) await this.#refill();
    const name = this.#names.pop();
    if (name === undefined) return this.take();
    const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
    const readFd = openSync(name, O_RDONLY | O_NONBLOCK);
    const writeFd = openSync(name, O_WRONLY);
    unlinkSync(name);
    return { writeFd, reader: new Socket({ fd: readFd, readable: true, writable: false }) };
  }

  async #refill(): Promise<void> {
    const names = Array.from({ length: BATCH }, (_, index) => join(this.#folder, `p${this.#made + index}`));
    this.#made += BATCH;
    await execute('mkfifo', ['-m', '666', ...names]);
    this.#names.push(...names);
  }
}
