import { guessCommands } from './guessed-commands.ts';
import { type PlacedCommand, type Redirection, type ScriptFindings, walkScript } from './script-walk.ts';
import type { SecondParser } from './second-reading.ts';
import { changesShell } from './shell-changes.ts';

/** What a Bash script does, as far as its syntax tree tells. */
export interface ScriptAnalysis {
  /** Every command found in any nested context, in source order where one is not carried by another. */
  readonly commands: readonly PlacedCommand[];
  /** Files that redirections open. */
  readonly redirections: readonly Redirection[];
  /** Why content rules cannot allow the script even where every command is allowed. */
  readonly blockers: readonly string[];
  /** What no rule or mode should let through unseen. */
  readonly dangers: readonly string[];
  /** Why the script may run commands that are not in the list. */
  readonly hidden: readonly string[];
}

// Longest script, in characters, that rules may allow.
const longestAllowedScript = 10_000;

// What lies beyond is not looked at any more.
const longestParsedScript = 100_000;
const mostNodes = 100_000;

/** What else an analysis rests on. */
export interface AnalysisOptions {
  /** Home folder of whoever runs the script; undefined while nobody knows it. */
  readonly homeDirectory: string | undefined;
  readonly secondParser: SecondParser | undefined;
}

/** Analyses a script. Never throws; what cannot be parsed is named in `hidden`. */
export function analyzeScript(script: string, options: AnalysisOptions): ScriptAnalysis {
  const findings = collectFindings(script, options);
  if (findings.homeMayChange && options.homeDirectory !== undefined)
    return analyzeScript(script, { ...options, homeDirectory: undefined });
  if (script.length > longestAllowedScript)
    findings.hidden.add(`it is longer than ${longestAllowedScript} characters`);
  const shellChange = findings.commands.find(({ command }) => changesShell(command));
  if (shellChange !== undefined && findings.commands.length > 1)
    findings.blockers.add('it changes the shell that runs the rest of it');
  return {
    commands: findings.commands,
    redirections: findings.redirections,
    blockers: [...findings.blockers],
    dangers: [...findings.dangers],
    hidden: [...findings.hidden],
  };
}

/** What is known of a script that took too long to analyse: what its text may hold, and that a person must see it. */
export function unfinishedAnalysis(script: string): ScriptAnalysis {
  const commands = guessCommands(script.slice(0, longestParsedScript)).map(
    (command): PlacedCommand => ({ command, directories: 'unknown' }),
  );
  return {
    commands,
    redirections: [],
    blockers: [],
    dangers: ['it takes too long to be read'],
    hidden: ['it takes too long to be read'],
  };
}

/** True when the analysis may come out differently once the home folder is known. */
export function dependsOnHome(script: string): boolean {
  return script.includes('~') || script.includes('HOME');
}

function collectFindings(script: string, options: AnalysisOptions): ScriptFindings {
  const findings: ScriptFindings = {
    commands: [],
    redirections: [],
    blockers: new Set(),
    dangers: new Set(),
    hidden: new Set(),
    nodesLeft: mostNodes,
    homeDirectory: options.homeDirectory,
    secondParser: options.secondParser,
    homeMayChange: false,
    isCut: false,
  };
  walkScript(withoutOpenEnd(script.slice(0, longestParsedScript)), [''], 0, findings);
  return findings;
}

// Bash drops a last backslash that nothing follows when it reads a script from a file; parsers make it a character.
function withoutOpenEnd(script: string): string {
  let backslashes = 0;
  while (script.at(-1 - backslashes) === '\\') backslashes++;
  return backslashes % 2 === 1 ? script.slice(0, -1) : script;
}
