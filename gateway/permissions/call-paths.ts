import { type MatchField, MatchKind } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { readArgumentStrings } from './argument-pointer.ts';
import type { ScriptAnalysis } from './bash/script-analysis.ts';
import { namedFiles } from './bash/script-files.ts';
import type { PermissionCall } from './permission-call.ts';

// An executor resolves each path with a system call or two; a script with more than this is asked anyway.
const mostPaths = 200;

/** Kinds of arguments that are paths. */
export const PATH_KINDS: ReadonlySet<MatchKind> = new Set([
  MatchKind.READ_PATH,
  MatchKind.WRITE_PATH,
  MatchKind.SEARCH_PATH,
]);

/** The values of a match field; a search that names no folder starts in the working directory. */
export function valuesOf(field: MatchField, input: PermissionCall['input']): string[] | undefined {
  const values = readArgumentStrings(input, field.pointer);
  return field.kind === MatchKind.SEARCH_PATH && values?.length === 0 ? ['.'] : values;
}

/**
 * The paths a call names, in arguments and in the text of scripts, each once: what Inspect has to resolve before
 * `decide`. A path that is left out counts as one whose real path is unknown, which nothing but a person allows.
 */
export function pathsOf({ tool, input, analyses }: PermissionCall): string[] {
  const paths = new Set<string>();
  for (const field of tool.permission?.matchFields ?? []) {
    for (const value of valuesOf(field, input) ?? []) {
      for (const path of pathsOfValue(field.kind, value, analyses.get(value))) paths.add(path);
    }
  }
  return [...paths].slice(0, mostPaths);
}

function pathsOfValue(kind: MatchKind, value: string, analysis: ScriptAnalysis | undefined): string[] {
  switch (kind) {
    case MatchKind.READ_PATH:
    case MatchKind.WRITE_PATH:
    case MatchKind.SEARCH_PATH:
      return [value];
    case MatchKind.COMMAND:
      return (analysis === undefined ? [] : namedFiles(analysis)).flatMap(({ path }) =>
        path !== undefined && isResolvable(path) ? [path] : [],
      );
    default:
      return [];
  }
}

// Operands are only likely to be files. One that no file system takes (NAME_MAX and PATH_MAX of Linux) must not
// make the executor refuse the whole question.
function isResolvable(path: string): boolean {
  const isShort =
    Buffer.byteLength(path) < 4096 && path.split('/').every(name => Buffer.byteLength(name) <= 255);
  return isShort && !path.includes('\0');
}
