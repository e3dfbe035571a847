import { createHash } from 'node:crypto';
import { close, read } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';
import { Outcome, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { MatchKind, Risk } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { textResult } from '#kit/text-result.ts';
import { requireText } from '#toolbox/files/binary-files.ts';
import { LineWindow } from '#toolbox/files/line-window.ts';
import { type OpenFile, openRegularFile } from '#toolbox/files/open-file.ts';
import type { ReadBaselines } from '#toolbox/files/read-baselines.ts';
import { WHOLE_FILE_LIMIT_BYTES } from '#toolbox/files/read-whole.ts';
import { wellFormedText } from '#toolbox/tools/text-input.ts';
import { defineTool, type Tool } from '#toolbox/tools/tool.ts';
import type { LocatedPath, Workspace } from '#toolbox/workspace.ts';

/** What Read works with. */
export interface ReadToolOptions {
  readonly workspace: Workspace;
  readonly baselines: ReadBaselines;
}

const DEFAULT_LINES = 2000;
const LINE_LIMIT_BYTES = 4096;
const RESULT_LIMIT_BYTES = 96 * 1024;
const SLICE_BYTES = 64 * 1024;
/** Above this size the lines after the wanted ones are not counted. */
const COUNT_LIMIT_BYTES = WHOLE_FILE_LIMIT_BYTES;

const input = z.strictObject({
  file_path: wellFormedText().min(1).describe('The file, absolute or relative to the working directory'),
  offset: z.int().min(1).optional().describe('First line to read, counted from 1; the default is 1'),
  limit: z.int().min(1).optional().describe(`How many lines to read; the default is ${DEFAULT_LINES}`),
});

const readPiece = promisify(read);
const closeFile = promisify(close);

/** Reads lines of a text file. */
export function createReadTool(options: ReadToolOptions): Tool {
  const { workspace, baselines } = options;
  return defineTool({
    name: 'Read',
    version: '1',
    description:
      'Reads a text file of the workspace and returns its lines, each after its number and a tab. ' +
      `Returns at most ${DEFAULT_LINES} lines unless limit says otherwise; use offset to go on in a long file. ` +
      'Lines end with \\n; the numbers are the same that Grep reports.',
    input,
    aliases: ['read', 'read_file'],
    hints: { readOnly: true, concurrencySafe: true, idempotent: true },
    risk: Risk.LOW,
    matchFields: [{ pointer: '/file_path', kind: MatchKind.READ_PATH }],
    work: async ({ file_path, offset = 1, limit = DEFAULT_LINES }, run) => {
      const { path, file } = workspace.user.run(() => {
        workspace.requireUnchanged(run.call.boundPaths);
        const located = workspace.locate(file_path);
        return { path: located, file: openRegularFile(located) };
      });
      try {
        const window = new LineWindow({
          first: offset,
          count: limit,
          lineLimitBytes: LINE_LIMIT_BYTES,
          limitBytes: RESULT_LIMIT_BYTES,
        });
        const digest = await scan(path, file, window, run);
        baselines.remember(path.realPath, file.stats, digest);
        return describeLines(path, window, { offset, isWhole: digest !== undefined });
      } finally {
        await closeFile(file.fd);
      }
    },
  });
}

/** Feeds the file to the window; the digest of its content, or undefined when it was not read to its end. */
async function scan(
  path: LocatedPath,
  file: OpenFile,
  window: LineWindow,
  run: CallRun,
): Promise<string | undefined> {
  const isCounted = file.stats.size <= COUNT_LIMIT_BYTES;
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(SLICE_BYTES);
  for (let position = 0; ; ) {
    run.signal.throwIfAborted();
    const { bytesRead } = await readPiece(file.fd, buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    const piece = buffer.subarray(0, bytesRead);
    if (position === 0) requireText(path.asked, piece, file.stats.size);
    window.feed(position === 0 ? withoutBom(piece) : piece);
    if (isCounted) hash.update(piece);
    else if (window.isFull) return undefined;
    position += bytesRead;
  }
  window.end();
  return isCounted ? hash.digest('base64') : undefined;
}

function withoutBom(piece: Buffer): Buffer {
  return piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? piece.subarray(3) : piece;
}

function describeLines(
  path: LocatedPath,
  window: LineWindow,
  read: { readonly offset: number; readonly isWhole: boolean },
): ToolResult {
  const last = window.lines.at(-1);
  if (last === undefined) return textResult(Outcome.SUCCESS, describeNothing(path, window, read.offset));
  const notes: string[] = [];
  const isEnd = read.isWhole && last.number === window.lineCount;
  if (!isEnd) {
    const total = read.isWhole ? ` of ${window.lineCount}` : '';
    notes.push(
      `[Lines ${read.offset} to ${last.number}${total}. Read on with offset ${last.number + 1} for more.]`,
    );
  }
  if (window.sawInvalid) notes.push('[Some bytes are not valid UTF-8 and show as \u{fffd}.]');
  const numbered = window.lines.map(line => `${String(line.number).padStart(6)}\t${line.text}`);
  return textResult(Outcome.SUCCESS, [...numbered, ...notes].join('\n'));
}

function describeNothing(path: LocatedPath, window: LineWindow, offset: number): string {
  if (window.lineCount === 0) return `[${path.asked} is empty.]`;
  const lines = window.lineCount === 1 ? '1 line' : `${window.lineCount} lines`;
  return `[${path.asked} has ${lines}; offset ${offset} lies past the last one.]`;
}
