import { forEachChild, type ParsedScript, parse, type Statement, type SyntaxNode } from 'unbash';
import { findCarriedWork } from './carried-commands.ts';
import type { CommandWord } from './command-word.ts';
import { changedDirectories, type Directories, isDirectoryChange } from './directory-changes.ts';
import { isForkBomb } from './fork-bomb.ts';
import { guessCommands } from './guessed-commands.ts';
import { blockerOf, hiddenWorkOf } from './node-checks.ts';
import { compareReadings, type SecondParser } from './second-reading.ts';
import { assignsHome, evaluatesSubscript, mayChangeHome } from './shell-changes.ts';
import type { SimpleCommand } from './simple-command.ts';
import { readCommand, readRedirection, setsShellVariable } from './tree-reading.ts';
import { holdsUnreadText } from './unread-text.ts';

/** A command and where it may start. */
export interface PlacedCommand {
  readonly command: SimpleCommand;
  readonly directories: Directories;
}

/** A file opened by a redirection. */
export interface Redirection {
  readonly access: 'read' | 'write';
  readonly target: CommandWord;
  readonly directories: Directories;
}

/** What a walk has found so far; the sets hold reasons for people. */
export interface ScriptFindings {
  commands: PlacedCommand[];
  redirections: Redirection[];
  blockers: Set<string>;
  dangers: Set<string>;
  hidden: Set<string>;
  nodesLeft: number;
  readonly homeDirectory: string | undefined;
  readonly secondParser: SecondParser | undefined;
  homeMayChange: boolean;
  /** True when a limit kept a part of some tree from being looked at. */
  isCut: boolean;
}

// Beyond these the tree is not followed; what was found until then still counts.
const deepestNode = 150;
const deepestScript = 6;
const deepestCarrier = 12;

/** Collects what a script, or a script inside it at that depth, does when it starts in these folders. */
export function walkScript(
  script: string,
  directories: Directories,
  depth: number,
  findings: ScriptFindings,
): void {
  if (depth > deepestScript) {
    addGuesses(script, 'it nests scripts too deeply', depth, findings);
    return;
  }
  try {
    const parsed = parse(script);
    collectStatements(parsed, directories, depth, findings);
    crossCheck(script, parsed, findings);
    if (holdsUnreadText(script, parsed)) findings.blockers.add('a part of it is not understood');
    if (findings.isCut) addGuesses(script, 'it is nested too deeply or has too many parts', depth, findings);
    if (parsed.errors !== undefined) addGuesses(script, 'it is not complete, valid Bash', depth, findings);
  } catch {
    addGuesses(script, 'it is nested too deeply to parse', depth, findings);
  }
}

// Words with blanks between them have only one reading.
const onlyWords = /^[\w ./:@,+%=-]*$/;

// One parser's mistake must not be enough to let a command through unseen.
function crossCheck(script: string, parsed: ParsedScript, findings: ScriptFindings): void {
  const { secondParser } = findings;
  if (secondParser === undefined || onlyWords.test(script)) return;
  const disagreement = compareReadings(script, parsed, secondParser(script));
  if (disagreement === undefined) return;
  findings.blockers.add('two parsers read it differently');
  for (const command of disagreement.missed) findings.commands.push({ command, directories: 'unknown' });
}

function addGuesses(script: string, why: string, depth: number, findings: ScriptFindings): void {
  findings.hidden.add(why);
  for (const command of guessCommands(script)) {
    findings.nodesLeft--;
    if (depth > deepestScript || findings.nodesLeft < 0)
      findings.commands.push({ command, directories: 'unknown' });
    else collectCommand(command, 'unknown', depth + 1, findings);
  }
}

// Only changes of directory in the script's own statements are followed; one anywhere else makes every later
// directory unknown.
function collectStatements(
  script: ParsedScript,
  start: Directories,
  depth: number,
  findings: ScriptFindings,
): void {
  let directories = start;
  for (const statement of script.commands) {
    let inside = directories;
    for (const member of membersOf(statement)) {
      inside = collectMember(member, inside, depth, findings);
    }
    directories = inside === directories ? directories : joinDirectories(directories, inside, statement);
  }
}

function collectMember(
  member: SyntaxNode,
  directories: Directories,
  depth: number,
  findings: ScriptFindings,
): Directories {
  const commandsBefore = findings.commands.length;
  const redirectionsBefore = findings.redirections.length;
  collectTree(member, directories, depth, findings);
  const placed = findings.commands.slice(commandsBefore);
  if (!placed.some(({ command }) => isDirectoryChange(command))) return directories;
  if (member.type === 'Command' && placed[0] !== undefined && placed.length === 1)
    return changedDirectories(placed[0].command, directories);
  forgetDirectories(findings.commands, commandsBefore);
  forgetDirectories(findings.redirections, redirectionsBefore);
  return 'unknown';
}

function forgetDirectories<T extends { directories: Directories }>(items: T[], from: number): void {
  for (let index = from; index < items.length; index++) {
    const item = items[index];
    if (item !== undefined) items[index] = { ...item, directories: 'unknown' };
  }
}

function joinDirectories(before: Directories, after: Directories, statement: Statement): Directories {
  if (before === 'unknown' || after === 'unknown' || statement.background === true) return 'unknown';
  const joined = [...new Set([...before, ...after])];
  return joined.length > 8 ? 'unknown' : joined;
}

function membersOf(statement: Statement): readonly SyntaxNode[] {
  const command = statement.command;
  const isChain = command.type === 'AndOr' && command.operators.every(operator => operator === '&&');
  return isChain ? command.commands : [command];
}

function collectTree(
  root: SyntaxNode,
  directories: Directories,
  depth: number,
  findings: ScriptFindings,
): void {
  const pending: { node: SyntaxNode; level: number }[] = [{ node: root, level: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, level } = next;
    findings.nodesLeft--;
    if (level > deepestNode || findings.nodesLeft < 0) {
      findings.isCut = true;
      return;
    }
    visit(node, directories, depth, findings);
    const children: SyntaxNode[] = [];
    forEachChild(node, child => children.push(child));
    for (const child of children.reverse()) pending.push({ node: child, level: level + 1 });
  }
}

function visit(node: SyntaxNode, directories: Directories, depth: number, findings: ScriptFindings): void {
  const blocker = blockerOf(node);
  if (blocker !== undefined) findings.blockers.add(blocker);
  const hidden = hiddenWorkOf(node);
  if (hidden !== undefined) findings.hidden.add(hidden);
  if (node.type === 'Script' && node.errors !== undefined)
    findings.hidden.add('it is not complete, valid Bash');
  if (assignsHome(node)) findings.homeMayChange = true;
  if (isForkBomb(node)) findings.dangers.add('a function starts itself without end');
  if (node.type === 'Redirect') {
    const redirection = readRedirection(node, findings.homeDirectory);
    if (redirection !== undefined) findings.redirections.push({ ...redirection, directories });
  }
  if (node.type !== 'Command') return;
  const command = readCommand(node, findings.homeDirectory);
  if (command !== undefined) collectCommand(command, directories, depth, findings);
  else if (setsShellVariable(node)) findings.blockers.add('it sets a variable that other programs may read');
}

function collectCommand(
  command: SimpleCommand,
  directories: Directories,
  depth: number,
  findings: ScriptFindings,
): void {
  if (mayChangeHome(command)) findings.homeMayChange = true;
  if (evaluatesSubscript(command)) findings.hidden.add('a builtin evaluates text as a variable subscript');
  const work = findCarriedWork(command);
  findings.commands.push({ command: { ...command, runsOthers: work.runsOthers }, directories });
  findings.nodesLeft -= work.commands.length;
  if (work.commands.length > 0 && (depth >= deepestCarrier || findings.nodesLeft < 0)) {
    findings.isCut = true;
    return;
  }
  for (const inner of work.commands) collectCommand(inner, directories, depth + 1, findings);
  for (const script of work.scripts) {
    if (script.isLiteral) walkScript(script.text, directories, depth + 1, findings);
    else findings.hidden.add('it runs a script that is only known when it runs');
  }
}
