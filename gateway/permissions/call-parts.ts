import { MatchKind } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { Directories } from './bash/directory-changes.ts';
import { type ScriptAnalysis, unfinishedAnalysis } from './bash/script-analysis.ts';
import { namedFiles } from './bash/script-files.ts';
import type { SimpleCommand } from './bash/simple-command.ts';
import { valuesOf } from './call-paths.ts';
import { isDeceptive } from './displayed-text.ts';
import { type ResolvedPath, resolvePath } from './files/resolved-path.ts';
import type { PermissionCall, PermissionFacts } from './permission-call.ts';

/** One thing a call does. A rule that stops needs to match one part; to be allowed, every part must be. */
export type CallPart = PathPart | CommandPart | UrlPart | TextPart | ArgumentPart | UnseenPart;

/** A file or folder the call opens. */
export interface PathPart {
  readonly kind: 'path';
  readonly access: 'read' | 'write';
  /** Undefined when the place is only known at run time. */
  readonly path: ResolvedPath | undefined;
  /** The path as people should see it. */
  readonly label: string;
  /** What names it. Operands of commands are covered by what allows the command. */
  readonly namedBy: 'argument' | 'redirection' | 'directory' | 'operand';
  /** True when the call reads all that lies below it too. */
  readonly isSearch?: boolean;
  /** Set when a script names it. */
  readonly script?: SourceScript;
}

/** The script that a part comes from. */
export interface SourceScript {
  /** Its text without blanks around it. */
  readonly text: string;
  /** True when it holds characters that nobody sees. */
  readonly isDeceptive: boolean;
}

/** A command of a script. */
export interface CommandPart {
  readonly kind: 'command';
  readonly command: SimpleCommand;
  /** Folders it may start in, relative to the working directory. */
  readonly directories: Directories;
  /** False when it may start in another folder than the working directory. */
  readonly isAtHome: boolean;
  readonly script: SourceScript;
}

/** An address the call reaches. */
interface UrlPart {
  readonly kind: 'url';
  readonly url: string;
}

/** A plain text argument. */
interface TextPart {
  readonly kind: 'text';
  readonly text: string;
}

/** An argument that a rule names; no part that has to be allowed. */
interface ArgumentPart {
  readonly kind: 'argument';
  readonly name: string;
}

/** Something about a script that keeps it from being judged by its commands. */
export interface UnseenPart {
  readonly kind: 'unseen';
  readonly reason: string;
  /** True when it may run commands that are no parts of their own. */
  readonly hidesCommands: boolean;
  /** True when a person must see it in every mode. */
  readonly isDangerous: boolean;
  readonly script: SourceScript;
}

/** Takes a call apart by the match fields of its tool. */
export function partsOf(call: PermissionCall, facts: PermissionFacts): CallPart[] {
  const parts: CallPart[] = [];
  for (const field of call.tool.permission?.matchFields ?? []) {
    const values = valuesOf(field, call.input);
    if (values === undefined) parts.push(unreadable(field.pointer));
    else for (const value of values) parts.push(...partsOfValue(field.kind, value, call, facts));
  }
  return parts;
}

function unreadable(pointer: string): UnseenPart {
  return {
    kind: 'unseen',
    reason: `the argument ${pointer} is no text`,
    hidesCommands: true,
    isDangerous: false,
    script: { text: '', isDeceptive: false },
  };
}

function partsOfValue(
  kind: MatchKind,
  value: string,
  call: PermissionCall,
  facts: PermissionFacts,
): CallPart[] {
  switch (kind) {
    case MatchKind.READ_PATH:
      return [pathPart('read', value, facts)];
    case MatchKind.WRITE_PATH:
      return [pathPart('write', value, facts)];
    case MatchKind.SEARCH_PATH:
      return [{ ...pathPart('read', value, facts), isSearch: true }];
    case MatchKind.COMMAND:
      return scriptParts(value, call.analyses.get(value) ?? unfinishedAnalysis(value), facts);
    case MatchKind.URL:
      return [{ kind: 'url', url: value }];
    case MatchKind.TEXT:
      return [{ kind: 'text', text: value }];
    default:
      return [];
  }
}

function pathPart(access: PathPart['access'], named: string, facts: PermissionFacts): PathPart {
  return { kind: 'path', access, path: resolvePath(named, facts), label: named, namedBy: 'argument' };
}

function scriptParts(source: string, analysis: ScriptAnalysis, facts: PermissionFacts): CallPart[] {
  const script = { text: source.trim(), isDeceptive: isDeceptive(source.replaceAll(/[\n\t]/g, '')) };
  const homes = new Map<Directories, boolean>();
  const isAtHome = (directories: Directories): boolean => {
    const known = homes.get(directories) ?? isWorkingDirectory(directories, facts);
    homes.set(directories, known);
    return known;
  };
  const commands = analysis.commands.map(
    ({ command, directories }): CommandPart => ({
      kind: 'command',
      command,
      directories,
      script,
      isAtHome: isAtHome(directories),
    }),
  );
  const files = namedFiles(analysis).map(
    (file): PathPart => ({
      kind: 'path',
      access: file.access,
      path: file.path === undefined ? undefined : resolvePath(file.path, facts),
      label: file.label,
      namedBy: file.namedBy,
      script,
    }),
  );
  const unseen = (reasons: readonly string[], traits: Pick<UnseenPart, 'hidesCommands' | 'isDangerous'>) =>
    reasons.map((reason): UnseenPart => ({ kind: 'unseen', reason, script, ...traits }));
  return [
    ...commands,
    ...files,
    ...unseen(analysis.hidden, { hidesCommands: true, isDangerous: false }),
    ...unseen(analysis.blockers, { hidesCommands: false, isDangerous: false }),
    ...unseen(analysis.dangers, { hidesCommands: false, isDangerous: true }),
  ];
}

function isWorkingDirectory(directories: Directories, facts: PermissionFacts): boolean {
  return (
    directories !== 'unknown' &&
    directories.every(folder => resolvePath(folder, facts).absolute === facts.workingDirectory)
  );
}
