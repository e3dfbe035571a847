import { join } from 'node:path';
import { z } from 'zod';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { MatchKind, Risk } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { textResult } from '#kit/text-result.ts';
import { compileGlob, GLOB_DIALECT } from '#toolbox/search/glob-pattern.ts';
import { type FileListing, listFiles } from '#toolbox/search/list-files.ts';
import type { Ripgrep } from '#toolbox/search/ripgrep.ts';
import { locateSearch } from '#toolbox/search/search-start.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';
import { wellFormedText } from '#toolbox/tools/text-input.ts';
import { defineTool, type Tool } from '#toolbox/tools/tool.ts';
import type { Workspace } from '#toolbox/workspace.ts';

/** What Glob works with. */
export interface GlobToolOptions {
  readonly workspace: Workspace;
  readonly ripgrep: Ripgrep;
}

const MAX_PATHS = 1000;

const input = z.strictObject({
  pattern: wellFormedText().min(1).describe('The glob, for example "src/**/*.ts"'),
  path: wellFormedText()
    .min(1)
    .optional()
    .describe('Folder to start in; the default is the working directory'),
});

/** Finds files by name. */
export function createGlobTool(options: GlobToolOptions): Tool {
  const { workspace, ripgrep } = options;
  return defineTool({
    name: 'Glob',
    version: '1',
    description: `Finds files of the workspace by name and returns their paths, sorted, at most ${MAX_PATHS}. ${GLOB_DIALECT}`,
    input,
    aliases: ['glob', 'glob_files'],
    hints: { readOnly: true, concurrencySafe: true, idempotent: true },
    risk: Risk.LOW,
    matchFields: [
      { pointer: '/path', kind: MatchKind.SEARCH_PATH },
      { pointer: '/pattern', kind: MatchKind.READ_PATH },
    ],
    work: async ({ pattern: glob, path = '.' }, run) => {
      const pattern = compileGlob(glob);
      const directory = workspace.user.run(() => {
        workspace.requireUnchanged(run.call.boundPaths);
        return locateFolder(workspace, path, pattern.base);
      });
      if (directory === undefined) return textResult(Outcome.SUCCESS, `No file matches ${glob}.`);
      const listing = { directory, pattern, limit: MAX_PATHS, signal: run.signal };
      const found = await listFiles(ripgrep, listing);
      if (found.total === 0) return textResult(Outcome.SUCCESS, await explainNothing(ripgrep, listing, glob));
      const shown = found.paths.map(file => workspace.display(join(directory, file)));
      const left = found.total - shown.length;
      const notes = left > 0 ? [`[${left} more files match; the first ${shown.length} are shown.]`] : [];
      if (found.problems !== '') notes.push(`[Not everything could be listed: ${found.problems.trim()}]`);
      return textResult(Outcome.SUCCESS, [...shown, ...notes].join('\n'));
    },
  });
}

/** The folder to list; undefined where the pattern's fixed part does not exist. */
function locateFolder(workspace: Workspace, path: string, base: string): string | undefined {
  const start = locateSearch(workspace, path);
  if (start.file !== undefined)
    throw new ToolFailure(`${path} is a file; path names the folder to start in.`);
  if (base === '.') return start.directory;
  const located = workspace.locate(base.startsWith('/') ? base : `${start.directory}/${base}`);
  if (!located.exists) return undefined;
  const below = locateSearch(workspace, located.realPath);
  return below.file === undefined ? below.directory : undefined;
}

async function explainNothing(ripgrep: Ripgrep, listing: FileListing, glob: string): Promise<string> {
  const hidden = await listFiles(ripgrep, { ...listing, everything: true, limit: 1 });
  const [first] = hidden.paths;
  if (first === undefined) return `No file matches ${glob}.`;
  return (
    `No file matches ${glob}, except ${hidden.total} that .gitignore excludes or that lie behind a dot, ` +
    `for example ${first}. Name their folder in path to see them.`
  );
}
