import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ContentBlockSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';

type ContentBlockInit = MessageInitShape<typeof ContentBlockSchema>;

const MIB = 1024 ** 2;
/** No gateway can be told to take larger requests. */
const LARGEST_FILE_BYTES = 64 * MIB;

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
  return [textBlock(text), ...files.map(file => fileContent(file, workingFolder))];
}

/** A file as a part of a message; a relative path starts at the working folder. */
export function fileContent(file: string, workingFolder: string): ContentBlockInit {
  const path = resolve(workingFolder, file);
  const data = readMessageFile(path);
  const name = basename(path);
  if (isUtf8(data) && !data.includes(0)) return textBlock(`File ${name}:\n${data.toString('utf8')}`);
  const mediaType = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return { block: { case: 'data', value: { mediaType, name, data: new Uint8Array(data) } } };
}

function readMessageFile(path: string): Buffer {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new Error('it is no regular file');
    if (file.size > LARGEST_FILE_BYTES) throw new Error(`it is larger than ${LARGEST_FILE_BYTES / MIB} MiB`);
    return readFileSync(path);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`Cannot send the file ${path}: ${problem}`, EXIT_CODES.usage, error);
  }
}

function textBlock(text: string): ContentBlockInit {
  return { block: { case: 'text', value: { text } } };
}
