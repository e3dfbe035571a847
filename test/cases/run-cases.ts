import { readFileSync } from 'node:fs';
import process from 'node:process';
import { DecisionStage, type DecisionStep } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { type CaseVerdict, judgeCase } from './judge-case.ts';
import { readCaseFile } from './permission-case.ts';
import { holdsToolCases, readToolCases, runToolCases } from './tool/run-tool-cases.ts';

const usage =
  'Usage: npm run cases -- FILE (tool cases run in a sandbox of type LOCAL, or with TOOLGATE_CASES_SANDBOX=DOCKER)';

/** Runs a file of cases and gives the exit code: 0 all passed, 1 some failed, 2 the file cannot be used. */
async function runCases(file: string | undefined): Promise<number> {
  if (file === undefined) return unusable(`No file was given. ${usage}`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return unusable(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (holdsToolCases(text)) return runToolFile(text, file);
  const read = readCaseFile(text, file);
  if (read.kind === 'unsupported') return unusable(read.problem);
  const failed = read.cases.map(judgeCase).filter(verdict => !verdict.passed);
  for (const verdict of failed) process.stdout.write(`${describe(verdict)}\n\n`);
  process.stdout.write(`${read.cases.length - failed.length} passed, ${failed.length} failed\n`);
  return failed.length === 0 ? 0 : 1;
}

async function runToolFile(text: string, file: string): Promise<number> {
  const type = process.env['TOOLGATE_CASES_SANDBOX'] === 'DOCKER' ? 'DOCKER' : 'LOCAL';
  const read = readToolCases(text.split('\n'), file);
  return 'problem' in read
    ? unusable(read.problem)
    : await runToolCases(read, type, line => process.stdout.write(line));
}

function unusable(problem: string): number {
  process.stderr.write(`${problem}\n`);
  return 2;
}

function describe({ permissionCase, decision, behavior, isTooLenient }: CaseVerdict): string {
  const { id, mode, rules, call, expect, why } = permissionCase;
  const lines = [
    `${id}: expected ${expect}, got ${behavior}${isTooLenient ? ' (too lenient)' : ''}`,
    `  why expected: ${why ?? 'not said'}`,
    `  mode ${mode}, call ${call.tool} ${shortened(JSON.stringify(call.input))}`,
    ...rules.map(rule => `  rule ${rule.behavior} ${rule.tool}(${rule.content ?? ''})`),
    ...decision.steps.map(step => `  ${describeStep(step)}`),
  ];
  return lines.join('\n');
}

function describeStep(step: DecisionStep): string {
  const stage = nameOf(DecisionStage, step.stage);
  const behavior =
    step.behavior === PermissionBehavior.UNSPECIFIED ? '-' : nameOf(PermissionBehavior, step.behavior);
  return `${stage} ${behavior}: ${step.detail}`;
}

function nameOf(names: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(names).find(name => names[name] === value) ?? String(value);
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

process.exitCode = await runCases(process.argv[2]);
