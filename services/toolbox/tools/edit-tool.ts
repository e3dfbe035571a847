import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { Outcome, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { MatchKind, Risk } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { textResult } from '#kit/text-result.ts';
import { requireText } from '#toolbox/files/binary-files.ts';
import { digestOf, type ReadBaselines } from '#toolbox/files/read-baselines.ts';
import { readWhole } from '#toolbox/files/read-whole.ts';
import { replaceFile } from '#toolbox/files/replace-file.ts';
import { type SpliceFailure, splice } from '#toolbox/files/splice.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';
import { wellFormedText } from '#toolbox/tools/text-input.ts';
import { defineTool, type Tool } from '#toolbox/tools/tool.ts';
import type { LocatedPath, Workspace } from '#toolbox/workspace.ts';

/** What Edit works with. */
export interface EditToolOptions {
  readonly workspace: Workspace;
  readonly baselines: ReadBaselines;
}

const input = z.strictObject({
  file_path: wellFormedText().min(1).describe('The file, absolute or relative to the working directory'),
  old_string: wellFormedText().describe(
    'Text to replace, exactly as it is in the file, without line numbers',
  ),
  new_string: wellFormedText().describe('Text to put in its place'),
  replace_all: z.boolean().optional().describe('Replace every occurrence; the default is false'),
});

type EditInput = z.output<typeof input>;

/** Match lines named in a message. */
const MAX_NAMED_LINES = 10;

/** Replaces text in a file. */
export function createEditTool(options: EditToolOptions): Tool {
  const { workspace, baselines } = options;
  return defineTool({
    name: 'Edit',
    version: '1',
    description:
      'Replaces old_string by new_string in a text file of the workspace. old_string must occur exactly once, to the ' +
      'last space; add surrounding lines to make it unique, or set replace_all. Line ends, byte order mark and every ' +
      'other byte of the file stay as they are. An empty old_string creates a file that is not there yet. ' +
      'A file that changed since it was last read is not edited.',
    input,
    aliases: ['edit', 'edit_file'],
    hints: { readOnly: false, concurrencySafe: false },
    risk: Risk.MEDIUM,
    matchFields: [{ pointer: '/file_path', kind: MatchKind.WRITE_PATH }],
    work: async (edit, run) =>
      workspace.user.run(() => {
        workspace.requireUnchanged(run.call.boundPaths);
        const path = workspace.locate(edit.file_path);
        return path.exists ? editFile(path, edit, options) : createFile(path, edit, baselines);
      }),
  });
}

function createFile(path: LocatedPath, edit: EditInput, baselines: ReadBaselines): ToolResult {
  if (edit.old_string !== '') {
    throw new ToolFailure(`${path.asked} does not exist. To create it, leave old_string empty or use Write.`);
  }
  const bytes = Buffer.from(edit.new_string);
  baselines.remember(path.realPath, replaceFile(path, bytes, undefined), digestOf(bytes));
  return textResult(Outcome.SUCCESS, `Created ${path.asked} (${bytes.length} bytes).`);
}

function editFile(path: LocatedPath, edit: EditInput, options: EditToolOptions): ToolResult {
  const { bytes, stats } = readWhole(path);
  options.baselines.requireUnchanged(path, stats, () => bytes);
  requireEditable(path, bytes, edit);
  const edited =
    bytes.length === 0
      ? { bytes: Buffer.from(edit.new_string), lines: [1] }
      : splicedOrFailure(path, bytes, edit);
  const written = replaceFile(path, edited.bytes, stats);
  options.baselines.remember(path.realPath, written, digestOf(edited.bytes));
  const where = edited.lines.length === 1 ? `line ${edited.lines[0]}` : `${edited.lines.length} places`;
  return textResult(Outcome.SUCCESS, `Edited ${options.workspace.display(path.realPath)} at ${where}.`);
}

function requireEditable(path: LocatedPath, bytes: Buffer, edit: EditInput): void {
  if (edit.old_string === '' && bytes.length > 0) {
    throw new ToolFailure(
      `${path.asked} has content, so old_string cannot be empty: it would not say where new_string goes.`,
    );
  }
  if (edit.old_string === edit.new_string) {
    throw new ToolFailure('old_string and new_string are the same; there is nothing to change.');
  }
  requireText(path.asked, bytes, bytes.length);
  if (!isUtf8(bytes) && !isAscii(edit.new_string)) {
    throw new ToolFailure(
      `${path.asked} is not UTF-8, so text beyond ASCII cannot be written into it without mixing encodings.`,
    );
  }
}

function splicedOrFailure(path: LocatedPath, bytes: Buffer, edit: EditInput) {
  const result = splice(bytes, {
    oldText: edit.old_string,
    newText: edit.new_string,
    replaceAll: edit.replace_all ?? false,
  });
  if (result.kind === 'SPLICED') return result;
  throw new ToolFailure(explain(path, result));
}

function explain(path: LocatedPath, failure: SpliceFailure): string {
  if (failure.kind === 'NOT_FOUND') {
    return `old_string does not occur in ${path.asked}. Read the file and copy the text exactly, spaces and all.`;
  }
  const named = failure.lines.slice(0, MAX_NAMED_LINES).join(', ');
  const more = failure.lines.length > MAX_NAMED_LINES ? ', …' : '';
  return (
    `old_string occurs ${failure.count} times in ${path.asked}, at lines ${named}${more}. ` +
    'Add surrounding text to make it unique, or set replace_all.'
  );
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
