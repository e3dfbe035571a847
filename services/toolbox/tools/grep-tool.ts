import { join } from 'node:path';
import { z } from 'zod';
import { Outcome, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { MatchKind, Risk } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { textResult } from '#kit/text-result.ts';
import { FoundLines } from '#toolbox/search/found-lines.ts';
import { compileInclude, GLOB_DIALECT } from '#toolbox/search/glob-pattern.ts';
import { listFiles } from '#toolbox/search/list-files.ts';
import type { Ripgrep } from '#toolbox/search/ripgrep.ts';
import { type ContentSearch, searchContents } from '#toolbox/search/search-contents.ts';
import { locateSearch, type SearchStart } from '#toolbox/search/search-start.ts';
import { wellFormedText } from '#toolbox/tools/text-input.ts';
import { defineTool, type Tool } from '#toolbox/tools/tool.ts';
import type { Workspace } from '#toolbox/workspace.ts';

/** What Grep works with. */
export interface GrepToolOptions {
  readonly workspace: Workspace;
  readonly ripgrep: Ripgrep;
}

/** Files that an include may select. */
const MAX_INCLUDED_FILES = 50_000;

const input = z.strictObject({
  pattern: wellFormedText().min(1).describe('Regular expression (Rust syntax; look-around works too)'),
  path: wellFormedText()
    .min(1)
    .optional()
    .describe('File or folder to search; the default is the working directory'),
  include: wellFormedText()
    .min(1)
    .optional()
    .describe('Glob that file names must match, for example "*.{ts,tsx}"'),
  context: z.int().min(0).max(50).optional().describe('Lines to show before and after each match; default 0'),
  ignore_case: z.boolean().optional().describe('Match letters of either case; the default is false'),
});

/** Finds lines by regular expression. */
export function createGrepTool(options: GrepToolOptions): Tool {
  const { workspace, ripgrep } = options;
  return defineTool({
    name: 'Grep',
    version: '1',
    description:
      'Finds lines in files of the workspace by regular expression and returns them as path:line:text, sorted by path. ' +
      `Long lines and long results are cut with a mark. ${GLOB_DIALECT}`,
    input,
    aliases: ['grep', 'grep_files', 'search'],
    hints: { readOnly: true, concurrencySafe: true, idempotent: true },
    risk: Risk.LOW,
    matchFields: [
      { pointer: '/path', kind: MatchKind.SEARCH_PATH },
      { pointer: '/include', kind: MatchKind.READ_PATH },
    ],
    work: async (wanted, run) => {
      const start = workspace.user.run(() => {
        workspace.requireUnchanged(run.call.boundPaths);
        return locateSearch(workspace, wanted.path ?? '.');
      });
      const files = await selectFiles(ripgrep, start, wanted.include, run.signal);
      const search: ContentSearch = {
        directory: start.directory,
        files,
        pattern: wanted.pattern,
        contextLines: wanted.context ?? 0,
        ignoreCase: wanted.ignore_case ?? false,
        signal: run.signal,
      };
      const found = new FoundLines(path => workspace.display(join(start.directory, path)));
      const problems = await searchContents(ripgrep, search, line => found.add(line));
      if (found.matchCount > 0 || files !== undefined) return describe(found, problems, wanted.pattern);
      return textResult(Outcome.SUCCESS, await explainNothing(ripgrep, search, problems));
    },
  });
}

/** The files to search; undefined for all. */
async function selectFiles(
  ripgrep: Ripgrep,
  start: SearchStart,
  include: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (include === undefined) return start.file === undefined ? undefined : [start.file];
  const pattern = compileInclude(include);
  if (start.file !== undefined) return pattern.matches(start.file) ? [start.file] : [];
  const listing = { directory: start.directory, pattern, limit: MAX_INCLUDED_FILES, signal };
  return (await listFiles(ripgrep, listing)).paths;
}

function describe(found: FoundLines, problems: string, pattern: string): ToolResult {
  const notes = problems === '' ? '' : `\n[Not searched: ${problems.trim()}]`;
  const text = found.matchCount === 0 ? `No line matches ${pattern}.` : found.text();
  return textResult(Outcome.SUCCESS, `${text}${notes}`);
}

async function explainNothing(ripgrep: Ripgrep, search: ContentSearch, problems: string): Promise<string> {
  let hiddenIn: string | undefined;
  await searchContents(ripgrep, { ...search, everything: true, contextLines: 0 }, line => {
    if (line.kind === 'LINE') hiddenIn = line.path;
    return false;
  });
  const notes = problems === '' ? '' : `\n[Not searched: ${problems.trim()}]`;
  if (hiddenIn === undefined) return `No line matches ${search.pattern}.${notes}`;
  return (
    `No line matches ${search.pattern}, except in files that .gitignore excludes or that lie behind a dot, ` +
    `for example ${hiddenIn}. Name them in path to search them.${notes}`
  );
}
