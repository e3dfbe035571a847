import { z } from 'zod';
import { newSession } from '#test/agent-turn.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import { type CaseCalls, fillHoles, parseCalls } from './case-calls.ts';
import type { CasePlace } from './case-place.ts';
import { checkCalls, unknownCallKeys } from './check-calls.ts';
import { fillWorkspace } from './fill-workspace.ts';
import { type PlayedStep, playCalls } from './play-calls.ts';
import type { ToolCase } from './tool-case.ts';
import { skipped, type ToolVerdict } from './tool-verdict.ts';

/** Settings that the runner of direct calls heeds. */
const KNOWN_SETTINGS: ReadonlySet<string> = new Set(['@env', '@git_init', '@skip_if_root']);

/** Plays a case that calls tools, with no model: each call goes through the gateway's CallTool. */
export async function runCallCase(toolCase: ToolCase, place: CasePlace): Promise<ToolVerdict> {
  const { setup, expect } = toolCase;
  const calls = parseCalls(toolCase.call);
  const reason = 'problem' in calls ? calls.problem : reasonToSkip(toolCase, place);
  if (reason !== undefined || 'problem' in calls) return skipped(reason ?? '');
  await using gateway = await startTestGateway({
    executors: [{ name: 'sandbox', address: place.sandbox.address, token: place.sandbox.config.token }],
    agents: { agent: { model: 'openai:none', permissions: { mode: 'BYPASS' } } },
  });
  if (calls.order !== 'each alone') return ran(await playIn(gateway, place, calls, setup, expect));
  const demands = z.array(z.looseObject({}).nullable()).parse(expect['per_variant']);
  const problems: string[] = [];
  for (const [index, step] of calls.steps.entries()) {
    const alone = { ...calls, order: 'one after the other' as const, steps: [step] };
    problems.push(...(await playIn(gateway, place, alone, setup, demands[index] ?? {})));
  }
  return ran(problems);
}

function ran(problems: readonly string[]): ToolVerdict {
  return { kind: 'ran', problems };
}

function reasonToSkip({ setup, expect }: ToolCase, place: CasePlace): string | undefined {
  const setting = Object.keys(setup).find(key => key.startsWith('@') && !KNOWN_SETTINGS.has(key));
  if (setting !== undefined) return `the setting ${setting} is not known to this runner`;
  const [unknown] = unknownCallKeys(expect);
  if (unknown !== undefined) return `the expectation ${unknown} is not known to this runner`;
  if (setup['@skip_if_root'] === true && process.getuid?.() === 0) return 'it proves nothing as root';
  if (place.type === 'DOCKER' && Object.keys(setup).some(path => path.startsWith('../'))) {
    return 'nothing can be put beside the workspace of a container';
  }
  return undefined;
}

async function playIn(
  { owner }: TestGateway,
  place: CasePlace,
  calls: CaseCalls,
  setup: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const sessionId = await newSession(owner, 'agent');
  const workspace = await place.openWorkspace(sessionId);
  using _ = environment(fillHoles(setup['@env'] ?? {}, workspace.path));
  await fillWorkspace(workspace, setup);
  if (setup['@git_init'] === true) await workspace.gitInit();
  const startedMs = performance.now();
  const steps: PlayedStep[] = await playCalls({ clients: owner, sessionId, workspace }, calls);
  const seconds = (performance.now() - startedMs) / 1000;
  const played = { steps, step: steps.at(-1), workspace, seconds, ownFiles: Object.keys(setup) };
  const problems = await checkCalls(played, z.looseObject({}).parse(fillHoles(expected, workspace.path)));
  await place.sandbox.client.closeSession({ sessionId });
  return problems;
}

/** Variables of this process, which runs gateway and executor, as long as the value lives. */
function environment(values: unknown): Disposable {
  const variables = Object.entries(z.record(z.string(), z.string()).parse(values));
  const before = variables.map(([name]) => [name, process.env[name]] as const);
  for (const [name, value] of variables) process.env[name] = value;
  return {
    [Symbol.dispose]: () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}
