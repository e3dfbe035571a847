import { MatchKind, type ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { readArgumentStrings } from './argument-pointer.ts';
import { type AnalysisOptions, analyzeScript, type ScriptAnalysis } from './bash/script-analysis.ts';

/** The scripts among the arguments of a call, each once. */
export function scriptsOf(tool: ToolSpec, input: Readonly<Record<string, unknown>>): string[] {
  const fields = tool.permission?.matchFields.filter(({ kind }) => kind === MatchKind.COMMAND) ?? [];
  return [...new Set(fields.flatMap(({ pointer }) => readArgumentStrings(input, pointer) ?? []))];
}

/** Analyses the scripts of a call at once, however long that takes. */
export function analyzeScripts(
  tool: ToolSpec,
  input: Readonly<Record<string, unknown>>,
  options: AnalysisOptions,
): ReadonlyMap<string, ScriptAnalysis> {
  return new Map(scriptsOf(tool, input).map(script => [script, analyzeScript(script, options)]));
}
