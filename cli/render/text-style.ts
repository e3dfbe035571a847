import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Gives text a look where the stream shows one. */
export type TextStyle = (format: Format, text: string) => string;

/** Style for a stream: none when it is no terminal or NO_COLOR is set. */
export function createTextStyle(stream: NodeJS.WritableStream): TextStyle {
  return (format, text) => styleText(format, text, { stream });
}
