import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ContentBlockSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';

type ContentBlockInit = MessageInitShape<typeof ContentBlockSchema>;

/** Media types of files that are no text and that models take; others go as application/octet-stream. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** The content of a user message: what was typed, then each file, text as text and the rest as bytes. */
export function messageContent(
  text: string,
  files: readonly string[],
  workingFolder: string,
): ContentBlockInit[] {
  return [textBlock(text), ...files.map(file => fileBlock(resolve(workingFolder, file)))];
}

function fileBlock(path: string): ContentBlockInit {
  const data = readMessageFile(path);
  const name = basename(path);
  if (isUtf8(data) && !data.includes(0)) return textBlock(`File ${name}:\n${data.toString('utf8')}`);
  const mediaType = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return { block: { case: 'data', value: { mediaType, name, data: new Uint8Array(data) } } };
}

function readMessageFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`Cannot send the file ${path}: ${problem}`, EXIT_CODES.usage, error);
  }
}

function textBlock(text: string): ContentBlockInit {
  return { block: { case: 'text', value: { text } } };
}
