import { z } from 'zod';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { MatchKind, Risk } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { textResult } from '#kit/text-result.ts';
import { requireRegularFile } from '#toolbox/files/open-file.ts';
import { digestOf, type ReadBaselines } from '#toolbox/files/read-baselines.ts';
import { readWhole } from '#toolbox/files/read-whole.ts';
import { replaceFile } from '#toolbox/files/replace-file.ts';
import { wellFormedText } from '#toolbox/tools/text-input.ts';
import { defineTool, type Tool } from '#toolbox/tools/tool.ts';
import type { Workspace } from '#toolbox/workspace.ts';

/** What Write works with. */
export interface WriteToolOptions {
  readonly workspace: Workspace;
  readonly baselines: ReadBaselines;
}

const input = z.strictObject({
  file_path: wellFormedText().min(1).describe('The file, absolute or relative to the working directory'),
  content: wellFormedText().describe('The whole new content, exactly as it shall be'),
});

/** Writes a whole file. */
export function createWriteTool(options: WriteToolOptions): Tool {
  const { workspace, baselines } = options;
  return defineTool({
    name: 'Write',
    version: '1',
    description:
      'Writes a file of the workspace: creates it, with missing parent folders, or replaces its whole content. ' +
      'A file that changed since it was last read is not overwritten. To change a part of a file, use Edit.',
    input,
    aliases: ['write', 'write_file'],
    hints: { readOnly: false, concurrencySafe: false, idempotent: true, destructive: true },
    risk: Risk.MEDIUM,
    matchFields: [{ pointer: '/file_path', kind: MatchKind.WRITE_PATH }],
    work: async ({ file_path, content }, run) =>
      workspace.user.run(() => {
        workspace.requireUnchanged(run.call.boundPaths);
        const path = workspace.locate(file_path);
        const bytes = Buffer.from(content);
        const previous = path.exists ? requireRegularFile(path) : undefined;
        if (previous !== undefined) baselines.requireUnchanged(path, previous, () => readWhole(path).bytes);
        const stats = replaceFile(path, bytes, previous);
        baselines.remember(path.realPath, stats, digestOf(bytes));
        const done = previous === undefined ? 'Created' : 'Replaced';
        return textResult(
          Outcome.SUCCESS,
          `${done} ${workspace.display(path.realPath)} (${bytes.length} bytes).`,
        );
      }),
  });
}
