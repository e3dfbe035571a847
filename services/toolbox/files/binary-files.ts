import { ToolFailure } from '#toolbox/tool-failure.ts';

/** Bytes that are looked at; git takes the same number. */
const SAMPLE_BYTES = 8000;

/** Refuses a file whose first bytes no text file has; `sizeBytes` is only for the message. */
export function requireText(asked: string, start: Uint8Array, sizeBytes: bigint | number): void {
  if (startsWith(start, [0xff, 0xfe]) || startsWith(start, [0xfe, 0xff])) {
    throw new ToolFailure(
      `${asked} is UTF-16 text, which cannot be read or edited here; convert it with Bash.`,
    );
  }
  if (!start.subarray(0, SAMPLE_BYTES).includes(0)) return;
  throw new ToolFailure(`${asked} is a binary file of ${sizeBytes} bytes. Look into it with Bash.`);
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}
