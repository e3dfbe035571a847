import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

const CHUNK_BYTES = 64 * 1024;
/** How far back the last lines are looked for; a line with a stack trace takes 2 kB. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** Reads a file of lines that another process appends to. */
export interface LogReader {
  /** The last lines that are complete now. */
  last(count: number): string[];
  /** Lines that were completed since the call before; a file that was begun anew is read from its start. */
  next(): string[];
}

/** A reader of a file, which need not be there yet. */
export function createLogReader(path: string): LogReader {
  let offset = 0;
  let decoder = new StringDecoder('utf8');
  let unfinished = '';
  const readFrom = (start: (sizeBytes: number) => number): string[] => {
    if (!existsSync(path)) return [];
    const file = openSync(path, 'r');
    try {
      offset = start(fstatSync(file).size);
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (let bytes = -1; bytes !== 0; offset += bytes) {
        bytes = readSync(file, chunk, 0, CHUNK_BYTES, offset);
        unfinished += decoder.write(chunk.subarray(0, bytes));
      }
    } finally {
      closeSync(file);
    }
    const lines = unfinished.split('\n');
    unfinished = lines.pop() ?? '';
    return lines.filter(line => line !== '');
  };
  return {
    last: count => {
      let isCut = false;
      const lines = readFrom(sizeBytes => {
        isCut = sizeBytes > TAIL_BYTES;
        return Math.max(0, sizeBytes - TAIL_BYTES);
      });
      return (isCut ? lines.slice(1) : lines).slice(-count);
    },
    next: () =>
      readFrom(sizeBytes => {
        if (sizeBytes >= offset) return offset;
        decoder = new StringDecoder('utf8');
        unfinished = '';
        return 0;
      }),
  };
}
