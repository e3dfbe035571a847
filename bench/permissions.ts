import { loadBashGrammar } from '#gateway/agent/bash-grammar.ts';
import { createScriptAnalyser } from '#gateway/agent/script-analyser.ts';
import { pathsOf } from '#gateway/permissions/call-paths.ts';
import { analyzeScripts } from '#gateway/permissions/call-scripts.ts';
import { decide } from '#gateway/permissions/decide.ts';
import type { PermissionFacts } from '#gateway/permissions/permission-call.ts';
import { type CompiledRules, compileRules } from '#gateway/permissions/rules/compile-rules.ts';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { BenchOptions } from './support/bench-options.ts';
import { measureInTurns, type Samples, type Subject } from './support/measure.ts';
import { benchTools, hostileScripts, manyRules, plainCommands } from './support/permission-load.ts';
import type { Comparison } from './support/result-table.ts';

const RULES = 1_000;
const COMMANDS = 1_000;

/**
 * Decisions with no rule and among 1,000, each about another command or file; the analysis of a command by two parsers
 * counts as a part of its decision, and nothing is kept between two. Then hostile scripts of 10,000 characters: how
 * long an answer takes, and how long anything else on the event loop waits meanwhile, against a loop with nothing else.
 */
export async function benchPermissions(options: BenchOptions): Promise<Comparison[]> {
  const secondParser = await loadBashGrammar();
  const commands = plainCommands(COMMANDS);
  const rules = { none: compileRules([]), many: compileRules(manyRules(RULES)) };
  const subject = (name: string, run: (index: number) => void): Subject => {
    let index = 0;
    return { name, run: async () => run(index++ % COMMANDS) };
  };
  const readFile = (compiled: CompiledRules) => (index: number) => {
    const path = `/repo/src/module${index}/file.ts`;
    decideCall(compiled, { tool: benchTools.read, input: { file_path: path }, analyses: new Map() }, [path]);
  };
  const runCommand = (compiled: CompiledRules) => (index: number) => {
    const call = { tool: benchTools.bash, input: { command: commands[index] } };
    const analyses = analyzeScripts(call.tool, call.input, {
      homeDirectory: FACTS.homeDirectory,
      secondParser,
    });
    decideCall(compiled, { ...call, analyses }, pathsOf({ ...call, analyses }));
  };
  const samples = await measureInTurns({
    ...options,
    blockCalls: 100,
    subjects: [
      subject('Read, no rules', readFile(rules.none)),
      subject('Read, 1,000 rules', readFile(rules.many)),
      subject('Bash, no rules', runCommand(rules.none)),
      subject('Bash, 1,000 rules', runCommand(rules.many)),
    ],
  });
  return [{ title: 'decide', samples }, await benchHostileScripts(rules.many, options.signal)];
}

const FACTS: PermissionFacts = {
  workingDirectory: '/repo',
  workspaceRoot: '/repo',
  homeDirectory: '/home/u',
  realPaths: new Map(),
};

function decideCall(
  rules: CompiledRules,
  call: Parameters<typeof decide>[2],
  paths: readonly string[],
): void {
  const realPaths = new Map(paths.map(path => [path, path]));
  decide({ mode: PermissionMode.DEFAULT, rules }, { ...FACTS, realPaths }, call);
}

async function benchHostileScripts(rules: CompiledRules, signal: AbortSignal): Promise<Comparison> {
  await using analyser = await createScriptAnalyser();
  const answerMs: number[] = [];
  const waitMs: number[] = [];
  const idleMs: number[] = [];
  // The first starts the thread.
  for (const script of ['x'.repeat(10_000), ...hostileScripts]) {
    signal.throwIfAborted();
    const idle = watchLoop();
    await new Promise(resolve => setTimeout(resolve, 50));
    idleMs.push(idle());
    const wait = watchLoop();
    const startedAtMs = performance.now();
    const analyses = new Map([[script, await analyser.analyse(script, FACTS.homeDirectory)]]);
    const call = { tool: benchTools.bash, input: { command: script }, analyses };
    decideCall(rules, call, pathsOf(call));
    answerMs.push(performance.now() - startedAtMs);
    waitMs.push(wait());
  }
  const samples: Samples[] = [
    { name: 'wait of others while idle', timesMs: idleMs.slice(1) },
    { name: 'wait of others', timesMs: waitMs.slice(1) },
    { name: 'until the answer', timesMs: answerMs.slice(1) },
  ];
  return { title: '10,000 hostile characters', samples };
}

// Asks for a turn of the loop each millisecond; the function it gives ends that and tells the longest wait for one.
function watchLoop(): () => number {
  let longestMs = 0;
  let lastMs = performance.now();
  const note = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs - 1);
    lastMs = nowMs;
  };
  const timer = setInterval(note, 1);
  return () => {
    clearInterval(timer);
    note();
    return Math.max(longestMs, 0.001);
  };
}
