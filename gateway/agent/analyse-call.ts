import { dependsOnHome } from '#gateway/permissions/bash/script-analysis.ts';
import { scriptsOf } from '#gateway/permissions/call-scripts.ts';
import type { PermissionCall } from '#gateway/permissions/permission-call.ts';
import type { ScriptAnalyser } from './script-analyser.ts';

/** Analyses the scripts of a call, with the home folder of earlier calls where there is one. */
export async function analyseCall(
  analyser: ScriptAnalyser,
  call: Pick<PermissionCall, 'tool' | 'input'>,
  homeDirectory: string | undefined,
): Promise<PermissionCall> {
  const scripts = scriptsOf(call.tool, call.input);
  const analysed = scripts.map(
    async script => [script, await analyser.analyse(script, homeDirectory)] as const,
  );
  return { ...call, analyses: new Map(await Promise.all(analysed)) };
}

/** The call with another home folder, which says what "~" in its scripts means. */
export async function analyseAtHome(
  analyser: ScriptAnalyser,
  call: PermissionCall,
  homeDirectory: string,
): Promise<PermissionCall> {
  const analyses = new Map(call.analyses);
  for (const script of analyses.keys()) {
    if (dependsOnHome(script)) analyses.set(script, await analyser.analyse(script, homeDirectory));
  }
  return { ...call, analyses };
}
